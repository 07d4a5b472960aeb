import fs, { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { isRetryable } from '../../../api/retry';
import { createUndiciTransport } from '../../../api/transport/undici-transport';
import { openSource, pinSource } from '../../../files/sources/read-source';
import type { SourceAccess } from '../../../files/sources/source-access';
import type { PinnedSource } from '../../../api/upload/sources/source';
import { tempFolder } from '../../support/after-test';
import { failFiles } from '../../support/fail-files';
import { failureOf } from '../api/upload/failure-of';

let temp: string;
let share: string;
let away: string;
let file: string;
let access: SourceAccess;
beforeEach(async () => {
  temp = await tempFolder('share');
  share = path.join(temp, 'share');
  away = path.join(temp, 'away');
  await mkdir(path.join(share, 'films'), { recursive: true });
  file = path.join(share, 'films', 'film.mp4');
  await writeFile(file, 'a film');
  access = { roots: [share], sourceHosts: [], transport: createUndiciTransport(), unseal: String };
});
afterEach(() => {
  jest.restoreAllMocks();
});

const pin = (name = file): Promise<PinnedSource> =>
  pinSource(access, { kind: 'path', path: name, host: 'here' });

async function read(pinned: PinnedSource): Promise<string> {
  return text(openSource(access, pinned).read(0, pinned.bytes));
}

it('a file whose root went away is unavailable until the root is back, whether it was pinned before or not', async () => {
  const pinned = await pin();
  await rename(share, away);
  for (const failure of [await failureOf(read(pinned)), await failureOf(pin())]) {
    expect(failure.code).toBe('SourceUnavailable');
    expect(failure.message).toContain(`the folder ${share} is not there`);
    expect(failure.facts.hint).toContain('Mount its disk or network share again');
    expect(isRetryable(failure)).toBe(true);
  }
  await rename(away, share);
  expect(await read(pinned)).toBe('a film');
  expect(await pin()).toMatchObject({ bytes: 6 });
});

it('a file that appears while it is looked for with its root is read', async () => {
  await rename(share, away);
  const { realpath } = fs;
  jest.spyOn(fs, 'realpath').mockImplementationOnce((name) =>
    realpath(name).catch(async (error: unknown) => {
      await rename(away, share);
      throw error;
    }),
  );
  expect(await pin()).toMatchObject({ bytes: 6 });
});

describe('a file whose root exists', () => {
  it('is missing for good after it is removed', async () => {
    const pinned = await pin();
    await rm(file);
    expect((await failureOf(read(pinned))).code).toBe('SourceMissing');
    expect((await failureOf(pin())).code).toBe('SourceMissing');
  });

  it('is missing for good in an empty root, even if another root is away', async () => {
    await rm(path.join(share, 'films'), { recursive: true });
    access = { ...access, roots: [share, path.join(temp, 'never')] };
    expect((await failureOf(pin(path.join(share, 'film.mp4')))).code).toBe('SourceMissing');
  });
});

describe('a file on a disk that fails', () => {
  it.each([
    ['read', 'EIO'],
    ['read', 'ETIMEDOUT'],
    ['stat', 'ESTALE'],
  ] as const)(
    'is unavailable if its %s fails with %s, and is read when the disk answers',
    async (method, code) => {
      const pinned = await pin();
      await failFiles(method, code);
      const failure = await failureOf(read(pinned));
      expect([failure.code, isRetryable(failure)]).toEqual(['SourceUnavailable', true]);
      expect(failure.message).toBe(`the source ${file} can't be read for now (${code})`);
      expect(await read(pinned)).toBe('a film');
    },
  );
});
