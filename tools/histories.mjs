/**
 * `npm run histories`: records all histories of this version again, and their sums. Refuses a released version,
 * because the histories of released code must stay replayable. `-- --sums` only writes the sums of the existing files.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv } from 'node:process';
import { HISTORIES, SUMS, releases, sumsNow, sumsText } from './checks/history-sums.mjs';
import { root } from './folders.mjs';
import { run } from './run.mjs';
import { ensureTemporalCli, ensureVersitygw } from './set-up.mjs';

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
if ((await releases(root)).includes(`v${version}`)) {
  throw new Error(
    `${version} is released: its histories stay as they are. Raise the version in package.json first.`,
  );
}
if (!argv.includes('--sums')) {
  await ensureTemporalCli();
  await ensureVersitygw();
  await rm(join(root, HISTORIES, version), { recursive: true, force: true });
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  await run(process.execPath, [jest, '--config', 'test/histories/record.config.js', '--runInBand'], {
    cwd: root,
  });
}
const sums = await sumsNow(root);
await writeFile(join(root, SUMS), sumsText(sums));
console.log(`${SUMS}: ${sums.size} histories.`);
