/** `npm run check`: set-up, types, lint, format, layers, dead code, documents, words and lock files. */
import { argv } from 'node:process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './folders.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOMS } from './lint/rooms.mjs';
import { capture } from './run.mjs';

const bin = (...path) => join(root, 'node_modules', ...path);

const ROOTS = [...new Set(Object.keys(ROOMS).map((room) => room.split('/')[0]))];

const STEPS = {
  types: [bin('typescript-native', 'bin', 'tsc'), '--noEmit', '-p', 'tsconfig.test.json'],
  lint: [bin('eslint', 'bin', 'eslint.js'), '.', '--max-warnings', '0'],
  format: [bin('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  layers: [
    bin('dependency-cruiser', 'bin', 'dependency-cruiser.mjs'),
    '--config',
    '.dependency-cruiser.mjs',
    ...ROOTS,
  ],
  'dead code': [bin('knip', 'bin', 'knip.js'), '--production', '--include', 'files,exports,types'],
  documents: [bin('markdownlint-cli2', 'markdownlint-cli2-bin.mjs')],
  words: [bin('cspell', 'bin.mjs'), '--no-progress', '--no-summary'],
  'lock file': [join(root, 'tools', 'checks', 'check-lock.mjs')],
};

/** Each takes one core. This one takes as long as all others together. */
const LONGEST = 'lint';

/** Runs every step, even if another one failed: the longest beside the others, one after another. */
export async function runChecks() {
  const others = Object.keys(STEPS).filter((name) => name !== LONGEST);
  const [longest, results] = await Promise.all([runStep(LONGEST), inTurn(others)]);
  const found = new Map([longest, ...results].map((result) => [result.name, result]));
  return Object.keys(STEPS).map((name) => found.get(titleOf(name)));
}

async function inTurn(names) {
  const results = [];
  for (const name of names) results.push(await runStep(name));
  return results;
}

/** The output comes in one piece, under the name of the step. */
async function runStep(name) {
  const startedAt = Date.now();
  const { code, stdout, stderr } = await capture(process.execPath, STEPS[name], { cwd: root });
  process.stderr.write(`${titleOf(name)}\n${stdout}${stderr}`);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const ok = code === 0;
  return { name: titleOf(name), passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds };
}

function titleOf(name) {
  return `check: ${name}`;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  await ensureInstalled();
  const { printSummary } = await import('./summary.mjs');
  if (!printSummary(await runChecks())) process.exitCode = 1;
}
