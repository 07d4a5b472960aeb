import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './folders.mjs';

/** Failures that the summary shows. */
const MAX_SHOWN = 20;
const MAX_LENGTH = 300;

/** What failed in a Jest report, by file and test. Without a test, the file itself could not be loaded. */
export function failuresOf({ testResults = [] }) {
  return testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    const cases = failed.map(({ fullName, failureMessages: [text = ''] }) => [fullName, text]);
    if (cases.length === 0 && status === 'failed') cases.push(['the file', message]);
    return cases.map(([title, text]) => `${relative(root, name)}: ${title}: ${firstLines(text)}`);
  });
}

function firstLines(text) {
  const lines = stripVTControlCharacters(text).split('\n');
  const end = lines.findIndex((line) => /^\s+at /.test(line));
  return (end === -1 ? lines : lines.slice(0, end))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
}

/**
 * Prints what failed, one line per suite, and the totals as the last line. Returns true if something passed and
 * nothing failed.
 * @param {{ name: string, passed: number, failed: number, notRun?: number, seconds: number, missing?: string,
 * failures?: string[] }[]} results
 */
export function printSummary(results) {
  const width = Math.max(...results.map(({ name }) => name.length));
  const failures = results.flatMap((result) => result.failures ?? []);
  console.log('');
  for (const failure of failures.slice(0, MAX_SHOWN)) console.log(`FAILED ${failure}`);
  if (failures.length > MAX_SHOWN) console.log(`FAILED and ${failures.length - MAX_SHOWN} more.`);
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
