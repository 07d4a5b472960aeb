import { spawnSync } from 'node:child_process';
import fs, { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../../../../../api/clock';
import type { Clock } from '../../../../../../api/clock';
import { MediaServiceError } from '../../../../../../api/errors';
import type { JournalLock } from '../../../../../../api/upload/direct/journal/held-lock';
import { lockJournal } from '../../../../../../api/upload/direct/journal/journal-lock';
import type { Locking } from '../../../../../../api/upload/direct/journal/journal-lock';
import { heldHere } from '../../../../../../api/upload/direct/journal/lock-holder';
import { processNumbers } from '../../../../../../api/upload/direct/journal/process-numbers';
import { createTempDir } from '../../../../../support/temp-dir';
import type { TempDir } from '../../../../../support/temp-dir';
import { failureOf } from '../../failure-of';

let dir: TempDir;
let base: string;
let locks: JournalLock[];
beforeEach(async () => {
  dir = await createTempDir('lock');
  base = path.join(dir.path, 'upload');
  locks = [];
});
afterEach(async () => {
  jest.restoreAllMocks();
  for (const lock of locks) await lock.release();
  await dir.remove();
});

const first = (): string => `${base}.lock`;
/** Every lock has our own host name, as containers with the same settings do. */
const left = async (pid: number, host: 'here' | 'elsewhere', heartbeatAt = Date.now()): Promise<void> => {
  const numbers = host === 'here' ? await processNumbers() : 'of another container';
  await writeFile(first(), JSON.stringify({ token: 'left', pid, numbers, host: 'here' }));
  await utimes(first(), new Date(heartbeatAt), new Date(heartbeatAt));
};
/** A process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;
const HOUR = 3_600_000;

/** Waits end at once and only move the time. `at` happens when that much time has passed. */
class WaitedTime implements Clock {
  waited = 0;
  readonly reasons: string[] = [];
  private done = false;

  constructor(
    private readonly at = Number.POSITIVE_INFINITY,
    private readonly act: () => Promise<void> = () => Promise.resolve(),
  ) {}

  now = (): number => Date.now();

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    // Heartbeats and their time limit belong to the holder, and nothing wakes it here.
    if (ms >= 10_000) return systemClock.sleep(HOUR, signal);
    this.waited += ms;
    if (this.waited < this.at || this.done) return;
    this.done = true;
    await this.act();
  }
}

const lock = async (clock: Clock = systemClock, more: Partial<Locking> = {}): Promise<JournalLock> => {
  const held = await lockJournal(base, { host: 'here', clock, ...more });
  locks.push(held);
  return held;
};

async function oneOf(count: number, clock: () => Clock = () => systemClock): Promise<JournalLock> {
  const tries = await Promise.allSettled(Array.from({ length: count }, () => lock(clock())));
  const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(won).toHaveLength(1);
  for (const one of tries) {
    if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(MediaServiceError);
  }
  const [winner] = won;
  if (winner === undefined) throw new Error('nobody won');
  return winner;
}

describe('the lock of an ingest key', () => {
  test('is held by only one of many that come at once; the others learn who holds it', async () => {
    const held = await oneOf(8);
    const error = await failureOf(lock());
    expect(error.message).toContain(`process ${process.pid} on here`);
    expect([error.code, error.facts.field]).toEqual(['Validation', 'ingestKey']);
    await held.release();
    expect(await readdir(dir.path)).toEqual([]);
    await lock();
  });

  test('is a private file', async () => {
    await lock();
    expect((await stat(first())).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['of a process of this machine that ended', () => left(deadPid(), 'here')],
    ['of an earlier process with our own number', () => left(process.pid, 'here')],
  ])('%s is taken over at once, by only one of many', async (_what, leave) => {
    await leave();
    const held = await oneOf(6);
    await held.check();
    expect((await failureOf(lock())).message).toContain(`process ${process.pid} on here`);
    await held.release();
    expect(await readdir(dir.path)).toEqual([]);
  });

  test.each([
    ['of another container, whose clock is right', () => left(1, 'elsewhere')],
    ['of another container, whose clock is an hour late', () => left(1, 'elsewhere', Date.now() - HOUR)],
    ['of another container, whose clock is an hour early', () => left(1, 'elsewhere', Date.now() + HOUR)],
    ['of this machine, whose number another process has by now', () => left(process.ppid, 'here', 0)],
    ['that nobody can read', () => writeFile(first(), 'x')],
  ])('%s is taken over by only one of many after 45 s without a heartbeat', async (_what, leave) => {
    await leave();
    const clocks: WaitedTime[] = [];
    const held = await oneOf(4, () => {
      const clock = new WaitedTime();
      clocks.push(clock);
      return clock;
    });
    expect(Math.max(...clocks.map(({ waited }) => waited))).toBeGreaterThanOrEqual(45_000);
    await held.check();
    await held.release();
    expect(await readdir(dir.path)).toEqual([]);
  });

  test('of another machine is respected after its first heartbeat, and whoever waits learns the reason', async () => {
    await left(7, 'elsewhere', 0);
    const clock = new WaitedTime(9_000, () => utimes(first(), 2, 2));
    const reasons: string[] = [];
    const error = await failureOf(lock(clock, { onWaiting: (reason) => void reasons.push(reason) }));
    expect([error.code, error.message]).toEqual(['Validation', expect.stringContaining('process 7 on here')]);
    expect(clock.waited).toBe(9_000);
    expect(reasons).toEqual([expect.stringMatching(/locked by process 7 on here.*waiting up to 45 s/)]);
    expect(JSON.parse(await readFile(first(), 'utf8'))).toMatchObject({ token: 'left' });
  });

  test('of another machine is free once that machine released it', async () => {
    await left(7, 'elsewhere');
    const clock = new WaitedTime(9_000, () => rm(first()));
    await (await lock(clock)).check();
    expect(clock.waited).toBe(9_000);
  });

  test('is not waited for any longer after the upload is cancelled', async () => {
    await left(7, 'elsewhere');
    const cancel = new AbortController();
    const clock = new WaitedTime(9_000, async () => cancel.abort(new Error('cancelled')));
    await expect(lock(clock, { signal: cancel.signal })).rejects.toThrow('cancelled');
    expect(clock.waited).toBe(9_000);
  });

  test('of a living process on this machine is respected at once', async () => {
    await left(process.ppid, 'here');
    const clock = new WaitedTime();
    expect((await failureOf(lock(clock))).code).toBe('Validation');
    expect(clock.waited).toBe(0);
  });

  test("that can't be read is an error of the folder, without a wait", async () => {
    // A folder at this path can't be read, just like another user's file for everybody except root.
    await mkdir(first());
    const error = await failureOf(lock());
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'stateDir']);
    expect(error.message).toMatch(/can't be used \(EISDIR\)/);
  });
});

describe('two processes that take over the lock of the same holder', () => {
  /** Calls `act` directly before or after the link that takes the lock over is made. */
  const around = (when: 'before' | 'after', act: () => Promise<void>): void => {
    const { link } = fs;
    jest.spyOn(fs, 'link').mockImplementationOnce(async (from, to) => {
      if (when === 'before') await act();
      await link(from, to);
      if (when === 'after') await act();
    });
  };

  test('do not disturb each other: the later one finds it taken and moves nothing', async () => {
    await left(deadPid(), 'here');
    let other: JournalLock | undefined;
    around('before', async () => {
      other = await lock();
    });
    expect((await failureOf(lock())).code).toBe('Validation');
    await other?.check();
    expect(other?.signal.aborted).toBe(false);
  });

  test('do nothing if a third process has the lock by now', async () => {
    await left(deadPid(), 'here');
    let third: JournalLock | undefined;
    around('before', async () => {
      await (await lock()).release();
      third = await lock();
    });
    expect((await failureOf(lock())).code).toBe('Validation');
    await third?.check();
    expect(await readdir(dir.path)).toEqual(['upload.lock']);
  });

  test('leave it to the holder that sends a heartbeat after all', async () => {
    await left(7, 'elsewhere', 0);
    around('after', () => utimes(first(), 2, 2));
    const clock = new WaitedTime(60_000, () => utimes(first(), 3, 3));
    expect((await failureOf(lock(clock))).message).toContain('process 7 on here');
    expect(await readdir(dir.path)).toEqual(['upload.lock']);
  });
});

/** Sleepers sleep until they are woken; `now` can be set. */
class StillTime implements Clock {
  time = 1_000_000_000_000;
  private readonly asleep = new Map<number, () => void>();
  private readonly awaited = new Map<number, () => void>();

  now = (): number => this.time;

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.asleep.set(ms, resolve);
      this.awaited.get(ms)?.();
      signal?.addEventListener('abort', () => reject(new Error('woken')), { once: true });
    });
  }

  wake(ms: number): void {
    this.asleep.get(ms)?.();
    this.asleep.delete(ms);
  }

  /** Resolves when somebody sleeps for `ms`. */
  sleeping(ms: number): Promise<void> {
    return this.asleep.has(ms) ? Promise.resolve() : new Promise((resolve) => this.awaited.set(ms, resolve));
  }
}

const HEARTBEAT = 10_000;
const AGAIN = 2_000;
const TOO_LATE = 25_000;

describe('a lock that is held', () => {
  test('gets a new heartbeat every ten seconds, even when its clock is set back', async () => {
    const clock = new StillTime();
    await lock(clock);
    const seen: number[] = [];
    for (const time of [1_000_000_000_000, 1_000_000_010_000, 500_000_000_000]) {
      clock.time = time;
      await clock.sleeping(HEARTBEAT);
      clock.wake(HEARTBEAT);
      await clock.sleeping(HEARTBEAT);
      seen.push((await stat(first())).mtimeMs);
    }
    expect(seen).toEqual([1_000_000_000_000, 1_000_000_010_000, 1_000_000_011_000]);
  });

  test('is lost once another process took over, and that process keeps it', async () => {
    const clock = new StillTime();
    const held = await lock(clock);
    await clock.sleeping(HEARTBEAT);
    await rm(first());
    await left(7, 'elsewhere');
    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    clock.wake(HEARTBEAT);
    await lost;
    const error = await failureOf(held.check());
    expect(held.signal.reason).toBe(error);
    expect([error.code, error.message]).toEqual([
      'Validation',
      expect.stringMatching(/now belongs to process 7 on here; this upload stops/),
    ]);
    await held.release();
    expect(JSON.parse(await readFile(first(), 'utf8'))).toMatchObject({ token: 'left' });
  });

  test('is lost once a process took over because it seemed silent, and that process keeps it', async () => {
    const held = await lock(new StillTime());
    const { token } = JSON.parse(await readFile(first(), 'utf8')) as { token: string };
    // Looks like the lock of another machine.
    await writeFile(
      first(),
      JSON.stringify({ token, pid: 7, numbers: 'of another container', host: 'there' }),
    );
    heldHere().delete(token);
    const next = await lock(new WaitedTime());
    expect((await failureOf(held.check())).message).toContain(
      `now belongs to process ${process.pid} on here`,
    );
    await held.release();
    await next.check();
    await next.release();
    expect(await readdir(dir.path)).toEqual([]);
  });

  test('is lost once its file is gone', async () => {
    const held = await lock(new StillTime());
    await rm(first());
    expect((await failureOf(held.check())).message).toMatch(/is gone; this upload stops/);
  });

  test('survives a disk that fails for a moment', async () => {
    const clock = new StillTime();
    const held = await lock(clock);
    await rename(first(), `${first()}.kept`);
    await mkdir(first());
    const checking = held.check();
    await clock.sleeping(AGAIN);
    await rm(first(), { recursive: true });
    await rename(`${first()}.kept`, first());
    clock.wake(AGAIN);
    await checking;
    expect(held.signal.aborted).toBe(false);
  });

  test('is lost when its heartbeat fails for 25 s, and the upload stops with the reason', async () => {
    const clock = new StillTime();
    const held = await lock(clock);
    await rename(first(), `${first()}.kept`);
    await mkdir(first());
    const checking = failureOf(held.check());
    await clock.sleeping(AGAIN);
    clock.wake(TOO_LATE);
    const error = await checking;
    expect([error.code, error.facts.field]).toEqual(['Configuration', 'stateDir']);
    expect(error.message).toMatch(/could not be renewed for 25 s \(.*EISDIR.*\); this upload stops/);
    expect(held.signal.reason).toBe(error);
    expect(await failureOf(held.check())).toBe(error);
  });
});
