/**
 * Everything that must succeed before a change is merged: checks, all suites, the package. The last line shows the
 * result. On a slow machine files of the suite chaos are left out, and the summary names them.
 */
import { runChecks } from './check.mjs';
import { chaosInTime, chaosSeconds } from './ci-budget.mjs';
import { ensureInstalled } from './install.mjs';
import { printSummary } from './summary.mjs';

const DAY_MS = 86_400_000;

const startedAt = Date.now();
const results = [];
try {
  await ensureInstalled();
  results.push(...(await runChecks()));
  const { CI_SUITE_NAMES, runSuite } = await import('./suites.mjs');
  for (const name of CI_SUITE_NAMES.filter((one) => one !== 'chaos')) {
    process.stderr.write(`\n${name}\n`);
    results.push(await runSuite(name));
    // Interrupted.
    if (process.exitCode) break;
  }
  if (!process.exitCode) await runChaos(runSuite);
} catch (error) {
  process.stderr.write(`ci: ${error.stack}\n`);
  results.push({ name: 'preparation', passed: 0, failed: 1, seconds: 0 });
}
if (!printSummary(results)) process.exitCode = 1;

async function runChaos(runSuite) {
  const left = chaosSeconds((Date.now() - startedAt) / 1000);
  const { seconds } = results.find(({ name }) => name === 'integration');
  const { chosen, leftOut, share, minutes } = chaosInTime(left, seconds);
  // Each day another share.
  process.env.CELLS_SHARE ??= `${(Math.floor(Date.now() / DAY_MS) % share) + 1}/${share}`;
  process.env.CHAOS_MINUTES ??= String(minutes);
  const { CELLS_SHARE, CHAOS_MINUTES } = process.env;
  process.stderr.write(`\nchaos, with CELLS_SHARE=${CELLS_SHARE} CHAOS_MINUTES=${CHAOS_MINUTES}\n`);
  if (chosen.length > 0) results.push(await runSuite('chaos', [...chosen, '--silent']));
  for (const file of leftOut) {
    const missing = `only ${Math.max(0, Math.round(left / 60))} minutes were left for chaos`;
    results.push({ name: file, passed: 0, failed: 0, seconds: 0, missing });
  }
}
