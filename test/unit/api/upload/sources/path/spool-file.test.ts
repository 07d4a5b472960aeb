import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spoolFile } from '../../../../../../api/upload/sources/path/spool-file';
import { writeOnFullDisk, withoutRoot } from '../../../../../support/harsh-disk';
import { createTempDir } from '../../../../../support/temp-dir';
import type { TempDir } from '../../../../../support/temp-dir';
import { failureOf } from '../../failure-of';

let temp: TempDir;
let spoolDir: string;
beforeEach(async () => {
  temp = await createTempDir('spool');
  spoolDir = path.join(temp.path, 'spool');
});
afterEach(() => temp.remove());

async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('film');
}

const spool = (): ReturnType<typeof spoolFile> =>
  spoolFile({ spoolDir, content: content(), label: 'the film' });

describe('a copy in the spool folder', () => {
  test('that meets a full disk in its middle is an error that names folder and setting, and leaves no half', async () => {
    expect(await writeOnFullDisk('spool', spoolDir)).toMatchObject({
      code: 'Configuration',
      message: `the spool folder ${spoolDir} has too little room`,
      facts: { field: 'spoolDir', hint: expect.stringContaining('MEDIA_SERVICE_SPOOL_DIR') },
    });
    expect(await readdir(spoolDir)).toEqual([]);
  });

  test('makes a folder that is missing', async () => {
    await spool();
    expect(await readdir(spoolDir)).toEqual([expect.stringMatching(/\.spooled$/)]);
  });

  test.each<[string, RegExp, () => Promise<void>]>([
    [
      'that this user may not write to',
      /\(EACCES\)$/,
      async () => {
        await chmod(temp.path, 0o755);
        await mkdir(spoolDir, { mode: 0o555 });
      },
    ],
    ['that cannot be made', /\((EACCES|EPERM)\)$/, () => chmod(temp.path, 0o555)],
    ['that is a file', /\((EEXIST|ENOTDIR|EACCES)\)$/, () => writeFile(spoolDir, '')],
  ])('in a folder %s is an error that names folder and setting', async (_what, code, make) => {
    await make();
    const error = await withoutRoot(() => failureOf(spool()));
    expect(error.code).toBe('Configuration');
    expect(error.message).toContain(`the spool folder ${spoolDir} cannot be written to`);
    expect(error.message).toMatch(code);
    expect(error.facts.hint).toContain('MEDIA_SERVICE_SPOOL_DIR');
    await chmod(temp.path, 0o755);
  });
});
