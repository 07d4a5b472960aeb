/**
 * Everything that must succeed before a change is merged: checks, all suites, the package. The last line shows the
 * result.
 */
import { runChecks } from './check.mjs';
import { ensureInstalled } from './install.mjs';
import { printSummary } from './summary.mjs';

const results = [];
try {
  await ensureInstalled();
  results.push(...(await runChecks()));
  const { CI_SUITE_NAMES, runSuite } = await import('./suites.mjs');
  for (const name of CI_SUITE_NAMES) {
    process.stderr.write(`\n${name}\n`);
    results.push(await runSuite(name));
    // Interrupted.
    if (process.exitCode) break;
  }
} catch (error) {
  process.stderr.write(`ci: ${error.stack}\n`);
  results.push({ name: 'preparation', passed: 0, failed: 1, seconds: 0 });
}
if (!printSummary(results)) process.exitCode = 1;
