/**
 * `npm run histories`: records all histories of this version again. Refuses a released version, because the histories of
 * released code must stay replayable.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './folders.mjs';
import { capture, run } from './run.mjs';

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const { stdout: tag } = await capture('git', ['tag', '--list', `v${version}`], { cwd: root });
if (tag !== '') throw new Error(`${version} is released: raise the version in package.json first.`);
await rm(join(root, 'test', 'histories', version), { recursive: true, force: true });
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
await run(process.execPath, [jest, '--config', 'test/histories/record.config.js', '--runInBand'], {
  cwd: root,
});
