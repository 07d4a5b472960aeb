/**
 * Prints one line per suite and the totals as the last line. Returns true if something passed and nothing failed.
 * @param {{ name: string, passed: number, failed: number, notRun?: number, seconds: number, missing?: string }[]}
 * results
 */
export function printSummary(results) {
  const width = Math.max(...results.map(({ name }) => name.length));
  console.log('');
  for (const { name, passed, failed, notRun = 0, seconds, missing } of results) {
    if (missing !== undefined) {
      console.log(`${name.padEnd(width)}  NOT RUN: ${missing}`);
      continue;
    }
    const skipped = notRun > 0 ? `, ${notRun} not run` : '';
    console.log(`${name.padEnd(width)}  ${passed} passed, ${failed} failed${skipped}  (${seconds} s)`);
  }
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  console.log(`${passed} passed, ${failed} failed`);
  return passed > 0 && failed === 0;
}
