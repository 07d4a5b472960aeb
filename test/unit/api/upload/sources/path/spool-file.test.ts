import { chmod, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { isRetryable } from '../../../../../../api/retry/retryable';
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
afterEach(() => {
  jest.restoreAllMocks();
  return temp.remove();
});

async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('film');
}

const spool = (): ReturnType<typeof spoolFile> =>
  spoolFile({ spoolDir, content: content(), label: 'the film' });

describe('a copy in the spool folder', () => {
  test('that meets the end of what the disk takes of a file is an error that names folder and setting, and leaves no half', async () => {
    expect(await writeOnFullDisk('spool', spoolDir)).toMatchObject({
      code: 'Configuration',
      message: `the spool folder ${spoolDir} takes no file of this size`,
      facts: { field: 'spoolDir', hint: expect.stringContaining('MEDIA_SERVICE_SPOOL_DIR') },
    });
    expect(await readdir(spoolDir)).toEqual([]);
  });

  test.each([
    ['write', 'ENOSPC', /has too little room$/],
    ['write', 'EDQUOT', /has too little room$/],
    ['sync', 'ENOSPC', /has too little room$/],
    ['sync', 'EIO', /can’t be written to for now \(EIO\)$/],
    ['write', 'ESTALE', /can’t be written to for now \(ESTALE\)$/],
  ] as const)(
    'whose %s meets %s is tried again, since room or disk may come back, and leaves no half',
    async (method, code, says) => {
      const handle = await open(__filename);
      const prototype: unknown = Object.getPrototypeOf(handle);
      await handle.close();
      if (!hasMethods(prototype)) throw new Error('A file handle has these methods.');
      jest
        .spyOn(prototype, method)
        .mockRejectedValueOnce(Object.assign(new Error(code), { code, syscall: method }));
      const failure = await failureOf(spool());
      expect([failure.code, failure.facts.field, isRetryable(failure)]).toEqual([
        'SourceUnavailable',
        'spoolDir',
        true,
      ]);
      expect(failure.message).toContain(`the spool folder ${spoolDir}`);
      expect(failure.message).toMatch(says);
      expect(failure.facts.hint).toContain('goes on by itself');
      expect(await readdir(spoolDir)).toEqual([]);
      await spool();
    },
  );

  test('that fails in its content keeps the content’s own failure', async () => {
    const lost = Object.assign(new Error('the share is away'), { code: 'EIO', syscall: 'read' });
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw lost;
    }
    await expect(spoolFile({ spoolDir, content: breaking(), label: 'the film' })).rejects.toBe(lost);
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

type Method = () => Promise<unknown>;

function hasMethods(value: unknown): value is { write: Method; sync: Method } {
  return typeof value === 'object' && value !== null && 'write' in value && 'sync' in value;
}
