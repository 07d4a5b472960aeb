import type { statfs } from 'node:fs/promises';
import fs, { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { adviceText } from '../../../../api/advice';
import { isRetryable } from '../../../../api/retry';
import { spoolFile } from '../../../../files/sources/spool-file';
import { tempFolder } from '../../../support/after-test';
import { withoutRoot } from '../../../support/without-root';
import { failFiles } from '../../../support/fail-files';
import { failureOf } from '../../api/upload/failure-of';

let temp: string;
let spoolDir: string;
beforeEach(async () => {
  temp = await tempFolder('spool');
  spoolDir = path.join(temp, 'spool');
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('film');
}

const spool = (expected?: number): ReturnType<typeof spoolFile> =>
  spoolFile({ spoolDir, content: content(), label: 'the film', expected });

describe('a copy in the spool folder', () => {
  test('that is larger than the disk takes files is an error that names folder and setting, and leaves no partial file', async () => {
    await failFiles('write', 'EFBIG');
    expect(await failureOf(spool())).toMatchObject({
      code: 'Configuration',
      message: `the spool folder ${spoolDir} takes no file of this size`,
      facts: { field: 'spoolDir', hint: expect.stringContaining('{spoolDir}') },
    });
    expect(await readdir(spoolDir)).toEqual([]);
  });

  test.each([
    ['write', 'ENOSPC', /has no room for the film right now: it is full \(ENOSPC\)$/],
    ['write', 'EDQUOT', /it is full \(EDQUOT\)$/],
    ['sync', 'ENOSPC', /it is full \(ENOSPC\)$/],
    ['sync', 'EIO', /can't be written to for now \(EIO\)$/],
    ['write', 'ESTALE', /can't be written to for now \(ESTALE\)$/],
  ] as const)(
    'whose %s meets %s is retried, since room or disk may come back, and leaves no partial file',
    async (method, code, says) => {
      // Otherwise the first sync is that of the folder above.
      await mkdir(spoolDir);
      await failFiles(method, code);
      const failure = await failureOf(spool());
      expect([failure.code, failure.facts.field, isRetryable(failure)]).toEqual([
        'SourceUnavailable',
        'spoolDir',
        true,
      ]);
      expect(failure.message).toContain(`the spool folder ${spoolDir}`);
      expect(failure.message).toMatch(says);
      expect(adviceText(failure.facts)).toContain('by itself');
      expect(await readdir(spoolDir)).toEqual([]);
      await spool();
    },
  );

  test('keeps the error of its content if the content fails', async () => {
    const lost = Object.assign(new Error('the share is away'), { code: 'EIO', syscall: 'read' });
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw lost;
    }
    await expect(spoolFile({ spoolDir, content: breaking(), label: 'the film' })).rejects.toBe(lost);
  });

  test.each<[string, RegExp, () => Promise<void>]>([
    [
      'that this user may not write to',
      /\(EACCES\)$/,
      async () => {
        await chmod(temp, 0o755);
        await mkdir(spoolDir, { mode: 0o555 });
      },
    ],
    ["that can't be made", /\((EACCES|EPERM)\)$/, () => chmod(temp, 0o555)],
    ['that is a file', /\((EEXIST|ENOTDIR|EACCES)\)$/, () => writeFile(spoolDir, '')],
  ])('in a folder %s is an error that names folder and setting', async (_what, code, make) => {
    await make();
    const error = await withoutRoot(() => failureOf(spool()));
    expect(error.code).toBe('Configuration');
    expect(error.message).toContain(`the spool folder ${spoolDir} can't be written to`);
    expect(error.message).toMatch(code);
    expect(error.facts.hint).toContain('{spoolDir}');
    await chmod(temp, 0o755);
  });
});

describe('a disk that is too small', () => {
  const withRoom = (free: number, total: number): void => {
    jest
      .spyOn(fs, 'statfs')
      .mockResolvedValueOnce({ bsize: 1, bavail: free, blocks: total } as Awaited<ReturnType<typeof statfs>>);
  };

  test('for now is tried again, and takes the copy once there is room', async () => {
    withRoom(3, 10);
    const error = await failureOf(spool(4));
    expect([error.code, isRetryable(error), error.facts.field]).toEqual([
      'SourceUnavailable',
      true,
      'spoolDir',
    ]);
    expect(error.message).toBe(
      `the spool folder ${spoolDir} has no room for the film right now: 4 bytes are needed, and 3 are free`,
    );
    expect(error.facts.hint).toContain('{spoolDir}');
    expect(await readdir(spoolDir)).toEqual([]);
    expect((await stat((await spool(4)).path)).size).toBe(4);
  });

  test('for good is an error of the settings', async () => {
    withRoom(3, 3);
    const error = await failureOf(spool(4));
    expect([error.code, isRetryable(error)]).toEqual(['Configuration', false]);
    expect(error.message).toBe(
      `the spool folder ${spoolDir} has 3 bytes in all: too few for the 4 bytes of the film`,
    );
  });
});
