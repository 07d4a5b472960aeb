import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ValidationError } from '../../../../api/errors';
import { writeWholeFile } from '../../../../cli/output/whole-file';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'whole-file-'));
});
afterEach(() => rm(cwd, { recursive: true }));

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  yield* texts;
}

async function* breaking(): AsyncGenerator<string> {
  yield 'half';
  throw new Error('The service went away.');
}

describe('a whole file', () => {
  test('holds all pieces, and its size is told', async () => {
    await expect(
      writeWholeFile({ cwd, path: 'out.csv', replace: false }, pieces('a,b\n', 'ü\n')),
    ).resolves.toEqual({
      path: join(cwd, 'out.csv'),
      bytes: 7,
    });
    await expect(readFile(join(cwd, 'out.csv'), 'utf8')).resolves.toBe('a,b\nü\n');
    await expect(readdir(cwd)).resolves.toEqual(['out.csv']);
  });

  test('never appears in part: a failure leaves nothing behind', async () => {
    await expect(writeWholeFile({ cwd, path: 'out.csv', replace: false }, breaking())).rejects.toThrow(
      'went away',
    );
    await expect(readdir(cwd)).resolves.toEqual([]);
  });

  test('keeps the one that was there when its replacement fails', async () => {
    await writeFile(join(cwd, 'out.csv'), 'old');
    await expect(writeWholeFile({ cwd, path: 'out.csv', replace: true }, breaking())).rejects.toThrow(
      'went away',
    );
    await expect(readFile(join(cwd, 'out.csv'), 'utf8')).resolves.toBe('old');
  });

  test('that exists is replaced only when asked for', async () => {
    await writeFile(join(cwd, 'out.csv'), 'old');
    await expect(writeWholeFile({ cwd, path: 'out.csv', replace: false }, pieces('new'))).rejects.toThrow(
      ValidationError,
    );
    await writeWholeFile({ cwd, path: 'out.csv', replace: true }, pieces('new'));
    await expect(readFile(join(cwd, 'out.csv'), 'utf8')).resolves.toBe('new');
  });

  test.each([false, true])(
    'is no folder, and none is asked for its pieces (replace: %s)',
    async (replace) => {
      await mkdir(join(cwd, 'folder'));
      const asked = jest.fn();
      async function* untouched(): AsyncGenerator<string> {
        asked();
        yield 'x';
      }
      await expect(writeWholeFile({ cwd, path: 'folder', replace }, untouched())).rejects.toMatchObject({
        code: 'Validation',
        message: `${join(cwd, 'folder')} is a folder.`,
      });
      expect(asked).not.toHaveBeenCalled();
    },
  );

  test('on a full disk is named, with what to do', async () => {
    await symlink('/dev/full', join(cwd, 'out.csv.part'));
    await expect(writeWholeFile({ cwd, path: 'out.csv', replace: false }, pieces('x'))).rejects.toMatchObject(
      {
        code: 'OutputFailed',
        message: `${join(cwd, 'out.csv')} could not be written: no space left.`,
        facts: { hint: expect.stringContaining('Free some space') },
      },
    );
    await expect(readdir(cwd)).resolves.toEqual([]);
  });

  test('in a folder that is not there is refused by name', async () => {
    await expect(writeWholeFile({ cwd, path: 'none/out.csv', replace: false }, pieces('x'))).rejects.toThrow(
      /none.out\.csv cannot be written/,
    );
  });
});
