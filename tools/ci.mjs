/**
 * Everything that must succeed before a change is merged: checks, all suites, the package. The last line shows the
 * result.
 */
import { runChecks } from './check.mjs';
import { ensureInstalled } from './install.mjs';
import { printSummary } from './summary.mjs';

/** Tables of chaos run a third of their cells, each day another one: a slow machine has no time for all. */
const SHARES = 3;
const DAY_MS = 86_400_000;

const results = [];
try {
  await ensureInstalled();
  results.push(...(await runChecks()));
  const { CI_SUITE_NAMES, runSuite } = await import('./suites.mjs');
  process.env.CELLS_SHARE ??= `${(Math.floor(Date.now() / DAY_MS) % SHARES) + 1}/${SHARES}`;
  process.stderr.write(`\nCELLS_SHARE=${process.env.CELLS_SHARE}\n`);
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
