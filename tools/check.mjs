/** `npm run check`: set-up, types, lint, format, documentation, engines, lock files and saved histories. */
import { argv } from 'node:process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './folders.mjs';
import { ensureInstalled } from './install.mjs';
import { run } from './run.mjs';

const bin = (...path) => join(root, 'node_modules', ...path);

const STEPS = {
  types: [bin('typescript', 'bin', 'tsc'), '--noEmit', '-p', 'tsconfig.test.json'],
  lint: [bin('eslint', 'bin', 'eslint.js'), '.', '--max-warnings', '0'],
  format: [bin('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  documentation: [join(root, 'tools', 'checks', 'check-docs.mjs')],
  engines: [join(root, 'tools', 'checks', 'check-engines.mjs')],
  'lock file': [join(root, 'tools', 'checks', 'check-lock.mjs')],
  histories: [join(root, 'tools', 'checks', 'check-histories.mjs')],
};

/** Runs every step, even if an earlier one failed. */
export async function runChecks() {
  const results = [];
  for (const [name, args] of Object.entries(STEPS)) {
    const startedAt = Date.now();
    process.stderr.write(`check: ${name}\n`);
    const ok = await run(process.execPath, args, { cwd: root }).then(
      () => true,
      () => false,
    );
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    results.push({ name: `check: ${name}`, passed: ok ? 1 : 0, failed: ok ? 0 : 1, seconds });
  }
  return results;
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  await ensureInstalled();
  const { printSummary } = await import('./summary.mjs');
  if (!printSummary(await runChecks())) process.exitCode = 1;
}
