/**
 * `npm test`: set-up and build, then the suites, each on its Node version, and one summary. `--suite NAME`
 * (repeatable) chooses suites. Everything else goes to Jest: `npm test -- test/unit/api -t signs`.
 */
import { argv } from 'node:process';
import { ensureInstalled } from './install.mjs';

const DEFAULT_SUITES = ['unit', 'integration', 'n8n'];

async function main(args) {
  const { suites, jestArgs } = parse(args);
  await ensureInstalled();
  const { SUITE_NAMES, runBeside, runSuite } = await import('./suites.mjs');
  const unknown = suites.filter((name) => !SUITE_NAMES.includes(name));
  if (unknown.length > 0)
    throw new Error(`There is no suite ${unknown}; there are ${SUITE_NAMES.join(', ')}.`);
  const results = await runBeside(suites, async (name) => [await runSuite(name, jestArgs)]);
  if (process.exitCode) return;
  const { printSummary } = await import('./summary.mjs');
  if (!printSummary(results)) process.exitCode = 1;
}

function parse(args) {
  const suites = [];
  const jestArgs = [];
  for (let index = 0; index < args.length; index += 1) {
    if (args[index] === '--suite') suites.push(args[(index += 1)]);
    else jestArgs.push(args[index]);
  }
  return { suites: suites.length > 0 ? suites : DEFAULT_SUITES, jestArgs };
}

main(argv.slice(2)).catch((error) => {
  process.stderr.write(`test: ${error.message}\n`);
  process.exitCode = 1;
});
