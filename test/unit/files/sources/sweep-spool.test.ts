import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spoolFile, sweepSpool } from '../../../../files/sources/spool-file';
import { createTempDir } from '../../../support/temp-dir';
import type { TempDir } from '../../../support/temp-dir';

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.parse('2026-11-30T00:00:00Z');

let spool: TempDir;
beforeEach(async () => {
  spool = await createTempDir('spool');
});
afterEach(() => spool.remove());

async function aged(name: string, days: number): Promise<string> {
  const file = path.join(spool.path, name);
  await writeFile(file, 'x');
  const at = new Date(NOW - days * DAY_MS);
  await utimes(file, at, at);
  return name;
}

describe('the clean-up of the spool folder', () => {
  it('keeps a finished copy for 30 days, since its upload may be paused', async () => {
    const spared = await aged('paused.spooled', 29);
    await aged('left.spooled', 31);
    expect(await sweepSpool(spool.path, NOW)).toBe(1);
    expect(await readdir(spool.path)).toEqual([spared]);
  });

  it('removes an unfinished copy that nobody wrote to for an hour', async () => {
    const spared = await aged('writing.spooling', 0.9 / 24);
    await aged('broken-off.spooling', 1.1 / 24);
    expect(await sweepSpool(spool.path, NOW)).toBe(1);
    expect(await readdir(spool.path)).toEqual([spared]);
  });

  it('recognises the copies of the current version', async () => {
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('film');
    }
    await spoolFile({ spoolDir: spool.path, content: content(), label: 'the film' });
    expect(await sweepSpool(spool.path, Date.now() + 31 * DAY_MS)).toBe(1);
    expect(await readdir(spool.path)).toEqual([]);
  });

  it('keeps files that are not ours, however old', async () => {
    const theirs = await aged('film.mp4', 400);
    expect(await sweepSpool(spool.path, NOW)).toBe(0);
    expect(await readdir(spool.path)).toEqual([theirs]);
  });

  it('does nothing if the folder does not exist', async () => {
    expect(await sweepSpool(path.join(spool.path, 'none'), NOW)).toBe(0);
  });
});
