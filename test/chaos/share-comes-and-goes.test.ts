import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { isRetryable } from '../../api/retry';
import { createS3 } from '../../files/s3/s3-client';
import { createUndiciTransport } from '../../api/transport/undici-transport';
import { openSource, pinSource } from '../../files/sources/read-source';
import type { FileLocation } from '../../files/file-location';
import { listFilesAt, readTextAt, writeFileAt } from '../../files/files';
import { createTempDir } from '../support/temp-dir';

const TIMES = 150;

it('a share that comes and goes 150 times fails nothing for good, hides no file, and gets no folder at its path', async () => {
  const temp = await createTempDir('share');
  const [share, away] = [path.join(temp.path, 'share'), path.join(temp.path, 'away')];
  await mkdir(share);
  const film = { kind: 'path', path: path.join(share, 'film.mp4'), host: 'here' } as const;
  await writeFile(film.path, 'a film');
  const access = { roots: [share], outputRoots: [share], transport: createUndiciTransport(), unseal: String };
  const locations = { ...access, s3: createS3() };
  const sources = { ...access, sourceHosts: [] };
  const at = (name: string): FileLocation => ({ kind: 'path', path: path.join(share, name) });
  const pinned = await pinSource(sources, film);
  let turn = 0;
  const uses: Record<string, () => Promise<unknown>> = {
    pin: async () => (await pinSource(sources, film)).bytes,
    read: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of openSource(sources, pinned).read(0, 6)) chunks.push(Buffer.from(chunk));
      return Buffer.concat(chunks).toString();
    },
    'read text': () => readTextAt(locations, at('film.mp4')),
    list: async () => {
      const names: string[] = [];
      for await (const { name } of listFilesAt(locations, { kind: 'path', path: share })) names.push(name);
      return names.includes('film.mp4');
    },
    write: () => writeFileAt(locations, at('written'), 'text'),
    'write below': () => writeFileAt(locations, at(`folder ${(turn += 1) % 50}/written`), 'text'),
  };
  const seen = new Map<string, number>();
  let isDone = false;
  async function repeat(what: string, use: () => Promise<unknown>): Promise<void> {
    while (!isDone) {
      const reported = await use().then(
        (value) => `${what}: ${String(value)}`,
        (error: unknown) => (isRetryable(error) ? 'away' : `${what}: ${String(error)}`),
      );
      seen.set(reported, (seen.get(reported) ?? 0) + 1);
    }
  }
  const lanes = Object.entries(uses).map(([what, use]) => repeat(what, use));
  for (let times = 0; times < TIMES; times += 1) {
    await rename(share, away);
    await pass(20);
    expect(await readdir(temp.path)).toEqual(['away']);
    await rename(away, share);
    await pass(20);
  }
  isDone = true;
  await Promise.all(lanes);
  expect([...seen.keys()].sort()).toEqual([
    'away',
    'list: true',
    'pin: 6',
    'read text: a film',
    'read: a film',
    'write below: undefined',
    'write: undefined',
  ]);
  await temp.remove();
}, 60_000);
