import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { KEPT, spoolFile, sweepSpool } from '../../../../files/sources/spool-file';
import { tempFolder } from '../../../support/after-test';

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.parse('2026-11-30T00:00:00Z');

let spool: string;
beforeEach(async () => {
  spool = await tempFolder('spool');
});

async function aged(name: string, days: number): Promise<void> {
  const file = path.join(spool, name);
  await writeFile(file, 'x');
  const at = new Date(NOW - days * DAY_MS);
  await utimes(file, at, at);
}

describe('the clean-up of the spool folder', () => {
  it.each([
    ['a finished copy for 30 days, since its upload may be paused', 'a.spooled', 29, 31],
    ['an unfinished copy for an hour after its last write', 'a.spooling', 0.9 / 24, 1.1 / 24],
    ['a file that is not ours for ever', 'film.mp4', 400, undefined],
  ])('keeps %s', async (_what, name, keptDays, removedDays) => {
    await aged(name, keptDays);
    expect(await sweepSpool(spool, NOW)).toBe(0);
    expect(await readdir(spool)).toEqual([name]);
    if (removedDays === undefined) return;
    await aged(name, removedDays);
    expect(await sweepSpool(spool, NOW)).toBe(1);
    expect(await readdir(spool)).toEqual([]);
  });

  it('recognises the copies of the current version', async () => {
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('film');
    }
    await spoolFile({ spoolDir: spool, content: content(), label: 'the film' });
    expect(await sweepSpool(spool, Date.now() + 31 * DAY_MS)).toBe(1);
    expect(await readdir(spool)).toEqual([]);
  });

  it('recognises half a file that was sent to the HTTP door, which is all that a killed one leaves', async () => {
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      expect(await sweepSpool(spool, Date.now() + DAY_MS)).toBe(1);
      throw new Error('killed');
    }
    const sent = spoolFile({ spoolDir: spool, content: content(), label: 'the film', name: `a${KEPT}` });
    await expect(sent).rejects.toThrow('killed');
  });

  it('does nothing if the folder does not exist', async () => {
    expect(await sweepSpool(path.join(spool, 'none'), NOW)).toBe(0);
  });
});
