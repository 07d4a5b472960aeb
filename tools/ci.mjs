/**
 * Everything that must succeed before a change is merged: checks and all suites. The last line shows the result.
 * `.ci/run unit n8n` runs only these, and `checks` means the checks. What CI leaves out, `npm run nightly` runs.
 */
import { argv } from 'node:process';
import { runChecks } from './check.mjs';
import { ensureInstalled } from './install.mjs';
import { printSummary } from './summary.mjs';

/** Each table of the suite chaos shows the same with each activity, so a third is enough for a change. */
process.env.CELLS_SHARE ??= '1/3';

const results = [];
try {
  await ensureInstalled();
  const { CI_SUITE_NAMES, runBeside, runSuite } = await import('./suites.mjs');
  const parts = ['checks', ...CI_SUITE_NAMES];
  const chosen = argv.length > 2 ? argv.slice(2) : parts;
  const unknown = chosen.filter((name) => !parts.includes(name));
  if (unknown.length > 0) throw new Error(`There is no ${unknown}; there are ${parts.join(', ')}.`);
  results.push(
    ...(await runBeside(chosen, async (name) => (name === 'checks' ? runChecks() : [await runSuite(name)]))),
  );
} catch (error) {
  process.stderr.write(`ci: ${error.stack}\n`);
  results.push({ name: 'preparation', passed: 0, failed: 1, seconds: 0 });
}
if (!printSummary(results)) process.exitCode = 1;
