/**
 * `npm test`: set-up and build, then the suites, and one summary. `--suite NAME` (repeatable) chooses suites, `checks`
 * among them; everything else goes to Jest: `npm test -- test/unit/api -t signs`. `.ci/run` is everything that must
 * succeed before a change is merged: `--ci`, then names of suites or none. What CI leaves out, `npm run nightly` runs.
 */
import { argv } from 'node:process';
import { runChecks } from './check.mjs';
import { ensureInstalled } from './install.mjs';
import { printSummary } from './summary.mjs';

const DEFAULT_SUITES = ['unit', 'integration', 'n8n'];

async function main([first, ...others]) {
  const isCi = first === '--ci';
  // Each table of the suite chaos shows the same with each activity, so a third is enough for a change.
  if (isCi) process.env.CELLS_SHARE ??= '1/3';
  // Whoever runs CI on a bare machine as root wants its system programs as well.
  if (isCi) process.env.SYSTEM_PACKAGES ??= 'install';
  await ensureInstalled();
  const { CI_SUITE_NAMES, SUITE_NAMES, runBeside, runSuite } = await import('./suites.mjs');
  const { suites, jestArgs } = isCi ? { suites: others, jestArgs: [] } : parse(argv.slice(2));
  const chosen = suites.length > 0 ? suites : isCi ? ['checks', ...CI_SUITE_NAMES] : DEFAULT_SUITES;
  const known = ['checks', ...SUITE_NAMES];
  const unknown = chosen.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`There is no suite ${unknown}; there are ${known.join(', ')}.`);
  return runBeside(chosen, async (name) =>
    name === 'checks' ? runChecks() : [await runSuite(name, jestArgs)],
  );
}

function parse(args) {
  const suites = [];
  const jestArgs = [];
  for (let index = 0; index < args.length; index += 1) {
    if (args[index] === '--suite') suites.push(args[(index += 1)]);
    else jestArgs.push(args[index]);
  }
  return { suites, jestArgs };
}

const results = await main(argv.slice(2)).catch((error) => {
  process.stderr.write(`test: ${error.message}\n`);
  return [{ name: 'preparation', passed: 0, failed: 1, seconds: 0 }];
});
if (!printSummary(results)) process.exitCode = 1;
