import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../../../../api/system-clock';
import { lockJournal } from '../../../../../../api/upload/direct/journal/journal-lock';
import { processNumbers } from '../../../../../../api/upload/direct/journal/process-numbers';
import { createTempDir } from '../../../../../support/temp-dir';
import type { TempDir } from '../../../../../support/temp-dir';
import { failureOf } from '../../failure-of';

let dir: TempDir;
let base: string;
beforeEach(async () => {
  dir = await createTempDir('lock');
  base = path.join(dir.path, 'upload');
});
afterEach(() => dir.remove());

const lock = (): ReturnType<typeof lockJournal> => lockJournal(base, 'here', systemClock);
/** Every one of them has our own host name, as the containers of one setting have. */
const leave = async (pid: number, where: 'here' | 'elsewhere', agoMs = 0): Promise<void> => {
  const numbers = where === 'here' ? await processNumbers() : 'of another container';
  await writeFile(`${base}.lock`, JSON.stringify({ token: 'left', pid, numbers, host: 'here' }));
  const beaten = new Date(Date.now() - agoMs);
  await utimes(`${base}.lock`, beaten, beaten);
};
/** A process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

describe('the lock of an ingest key', () => {
  test('is held by one of many that come at once; the others are told who holds it', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 8 }, lock));
    const won = tries.filter((one) => one.status === 'fulfilled');
    expect(won).toHaveLength(1);
    const error = await failureOf(lock());
    expect(error.message).toContain(`process ${process.pid} on here`);
    expect([error.code, error.facts.field]).toEqual(['Validation', 'ingestKey']);
    for (const one of won) await one.value.release();
    expect(await readdir(dir.path)).toEqual([]);
    await (await lock()).release();
  });

  test('is a private file', async () => {
    const held = await lock();
    expect((await stat(`${base}.lock`)).mode & 0o777).toBe(0o600);
    await held.release();
  });

  test.each([
    ['of a process of this machine that ended', () => leave(deadPid(), 'here')],
    ['of an earlier process with our own number', () => leave(process.pid, 'here')],
    ['of another container that was silent for a minute', () => leave(1, 'elsewhere', 60_000)],
    [
      'that nobody can read, and that is old',
      async () => {
        await writeFile(`${base}.lock`, 'x');
        await utimes(`${base}.lock`, new Date(0), new Date(0));
      },
    ],
  ])('%s is taken over by one of many', async (_what, left) => {
    await left();
    const tries = await Promise.allSettled(Array.from({ length: 4 }, lock));
    const won = tries.filter((one) => one.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(JSON.parse(await readFile(`${base}.lock`, 'utf8'))).toMatchObject({ pid: process.pid });
    for (const one of won) await one.value.release();
    expect(await readdir(dir.path)).toEqual([]);
  });

  test.each([
    ['of a living process of this machine', () => leave(process.ppid, 'here', 3_600)],
    ['of another container that beat a moment ago', () => leave(deadPid(), 'elsewhere', 5_000)],
    ['of another container’s process with our own number', () => leave(process.pid, 'elsewhere', 5_000)],
  ])('%s is respected', async (_what, left) => {
    await left();
    expect((await failureOf(lock())).code).toBe('Validation');
    expect(JSON.parse(await readFile(`${base}.lock`, 'utf8'))).toMatchObject({ token: 'left' });
  });

  test('that cannot be read is an error of the folder, not waited for', async () => {
    // A folder in its place: what another user's file is to everybody but root.
    await mkdir(`${base}.lock`);
    const error = await failureOf(lock());
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'stateDir']);
    expect(error.message).toMatch(/cannot be used \(EISDIR\)/);
  });

  test('beats while it is held, and leaves alone a lock that is another’s by now', async () => {
    let wake: () => void = () => undefined;
    const asleep = { count: 0, again: (): void => undefined };
    const second = new Promise<void>((resolve) => (asleep.again = resolve));
    const clock = {
      now: () => 1_000_000_000_000,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve, reject) => {
          asleep.count += 1;
          if (asleep.count === 2) asleep.again();
          wake = resolve;
          signal?.addEventListener('abort', () => reject(new Error('released')));
        }),
    };
    const held = await lockJournal(base, 'here', clock);
    wake();
    await second;
    expect((await stat(`${base}.lock`)).mtimeMs).toBe(1_000_000_000_000);
    await leave(1, 'elsewhere');
    await held.release();
    expect(await readdir(dir.path)).toEqual(['upload.lock']);
  });
});
