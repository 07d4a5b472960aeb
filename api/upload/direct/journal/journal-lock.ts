import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import type { Clock } from '../../../clock';
import { ValidationError } from '../../../errors';
import { systemCodeOf } from '../../sources/source-failure';
import { LOCK, parsedJson, unusable, WRITING } from './journal-store';

export interface JournalLock {
  release(): Promise<void>;
}

interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

const BEAT_MS = 10_000;
/** So long after its last beat a holder on another machine counts as gone, ms. */
const GONE_MS = 45_000;
const MOST_TRIES = 5;

/** Of this process: after a restart in a container another process may have its number. */
const held = new Set<string>();

/**
 * Makes sure that one process alone uploads under an ingest key: a file that beats while it is held. A holder that ended is replaced: at once on
 * the same host, after 45 s without a beat on another. Rejects with a `Validation` error that names who holds it.
 */
export async function lockJournal(base: string, host: string, clock: Clock): Promise<JournalLock> {
  const file = `${base}${LOCK}`;
  const own: Holder = { token: randomUUID(), pid: process.pid, host };
  for (let tries = 1; !(await create(file, own)); tries += 1) {
    const holder = await holderOf(file);
    if (holder === undefined) continue;
    if (tries >= MOST_TRIES || !(await isGone(file, holder, { host, clock }))) throw taken(holder);
    await evict(file, holder);
  }
  held.add(own.token);
  const ended = new AbortController();
  void beat(file, clock, ended.signal);
  return {
    async release() {
      ended.abort();
      held.delete(own.token);
      if ((await holderOf(file))?.token === own.token) await rm(file, { force: true });
    },
  };
}

async function create(file: string, own: Holder): Promise<boolean> {
  // Linked in place, so that nobody ever reads half a lock.
  const writing = `${file}.${own.token}${WRITING}`;
  try {
    const handle = await open(writing, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(own)).finally(() => handle.close());
    await link(writing, file);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw unusable(file, error);
  } finally {
    await rm(writing, { force: true });
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  return isHolder(value) ? value : { token: text, pid: 0, host: 'unknown' };
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'token' in value &&
    'pid' in value &&
    'host' in value &&
    typeof value.token === 'string' &&
    typeof value.pid === 'number' &&
    typeof value.host === 'string'
  );
}

async function isGone(
  file: string,
  holder: Holder,
  { host, clock }: { readonly host: string; readonly clock: Clock },
): Promise<boolean> {
  if (held.has(holder.token)) return false;
  if (holder.host === host && (holder.pid === process.pid || !isAlive(holder.pid))) return true;
  const beatenAt = (await stat(file).catch(() => undefined))?.mtimeMs;
  return beatenAt !== undefined && clock.now() - beatenAt > GONE_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'ESRCH';
  }
}

/** Takes the lock of a holder that is gone out of the way; a lock that another process put there meanwhile goes back. */
async function evict(file: string, gone: Holder): Promise<void> {
  const aside = `${file}.${randomUUID()}${WRITING}`;
  await rename(file, aside).catch(() => undefined);
  const moved = await holderOf(aside);
  if (moved !== undefined && moved.token !== gone.token) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

async function beat(file: string, clock: Clock, ended: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(BEAT_MS, ended);
      const now = new Date(clock.now());
      await utimes(file, now, now).catch(() => undefined);
    }
  } catch {
    // It was released.
  }
}

function taken({ pid, host }: Holder): ValidationError {
  return new ValidationError(
    'ingestKey',
    `another execution uploads under this ingest key right now (process ${pid} on ${host})`,
    'Wait for its end, or give this file an ingest key of its own. If that process is gone, its claim ends within a minute.',
  );
}
