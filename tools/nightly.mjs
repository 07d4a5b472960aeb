/**
 * What CI runs a part of: all properties with more runs, the full matrices, other S3 servers, whole tables of the suite
 * chaos and several seeded batches. It draws the seeds and prints them, and the same variables repeat the run. The last
 * line shows the result.
 */
import { randomInt } from 'node:crypto';
import { ensureInstalled } from './install.mjs';
import { printSummary } from './summary.mjs';

const VARIABLES = {
  PROPERTY_RUNS: 10,
  PROPERTY_SEED: randomInt(2 ** 31),
  MATRIX: 'full',
  MATRIX_SEED: randomInt(2 ** 31),
  CHAOS_BATCHES: 3,
  CHAOS_SEED: randomInt(2 ** 31),
  LIMIT_MINUTES: 240,
};
/** By suite: which of its files. Properties are in `unit` and `n8n`. */
const RUNS = {
  unit: [],
  n8n: [],
  integration: ['test/integration/every-', '--silent'],
  storages: [],
  chaos: [],
};

for (const [name, value] of Object.entries(VARIABLES)) {
  process.env[name] ??= String(value);
  process.stderr.write(`${name}=${process.env[name]}\n`);
}
await ensureInstalled();
const { runBeside, runSuite } = await import('./suites.mjs');
const results = await runBeside(Object.keys(RUNS), (name) => runSuite(name, RUNS[name]));
if (!printSummary(results)) process.exitCode = 1;
