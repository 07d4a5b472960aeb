/** `npm run check`: set-up, types, lint, format, layers, dead code, documents and words. */
import { argv } from 'node:process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './folders.mjs';
import { ensureInstalled } from './install.mjs';
import { TOP_ROOMS } from './lint/rooms.mjs';
import { capture } from './run.mjs';

const bin = (...path) => join(root, 'node_modules', ...path);

const STEPS = {
  types: [bin('typescript-native', 'bin', 'tsc'), '--noEmit', '-p', 'tsconfig.test.json'],
  lint: [bin('eslint', 'bin', 'eslint.js'), '.', '--max-warnings', '0'],
  format: [bin('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  layers: [
    bin('dependency-cruiser', 'bin', 'dependency-cruiser.mjs'),
    '--config',
    '.dependency-cruiser.mjs',
    ...TOP_ROOMS,
  ],
  'dead code': [bin('knip', 'bin', 'knip.js'), '--production', '--include', 'files,exports,types'],
  documents: [bin('markdownlint-cli2', 'markdownlint-cli2-bin.mjs')],
  words: [bin('cspell', 'bin.mjs'), '--no-progress', '--no-summary'],
};

/** Each takes one core. This one takes as long as all others together. */
const LONGEST = 'lint';

/** Runs every step, even if another one failed: the longest beside the others, one after another. */
export async function runChecks() {
  const longest = runStep(LONGEST);
  const results = [];
  for (const name of Object.keys(STEPS)) results.push(await (name === LONGEST ? longest : runStep(name)));
  return results;
}

/** The output comes in one piece, under the name of the step. */
async function runStep(name) {
  const startedAt = Date.now();
  const { code, stdout, stderr } = await capture(process.execPath, STEPS[name], { cwd: root });
  const title = `check: ${name}`;
  process.stderr.write(`${title}\n${stdout}${stderr}`);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const passed = code === 0 ? 1 : 0;
  return { name: title, passed, failed: 1 - passed, seconds };
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  await ensureInstalled();
  const { printSummary } = await import('./summary.mjs');
  if (!printSummary(await runChecks())) process.exitCode = 1;
}
