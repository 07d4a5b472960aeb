import { randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../clock';
import { ValidationError } from '../../../errors';
import { systemCodeOf } from '../../sources/source-failure';
import { LOCK, parsedJson, unusable, WRITING } from './journal-store';
import { processNumbers } from './process-numbers';

export interface JournalLock {
  release(): Promise<void>;
}

interface Holder {
  readonly token: string;
  readonly pid: number;
  /** Where `pid` counts, see `processNumbers`. */
  readonly numbers: string;
  /** For people to read. */
  readonly host: string;
}

const UNKNOWN: Holder = { token: '', pid: 0, numbers: '', host: 'unknown' };

const BEAT_MS = 10_000;
/** So long after its last beat a holder whose process cannot be looked for counts as gone, ms. */
const GONE_MS = 45_000;
const MOST_TRIES = 5;

/** Of this process: after a restart in a container another process may have its number. */
const held = new Set<string>();

/**
 * Makes sure that one process alone uploads under an ingest key: a file that beats while it is held. A holder that ended is replaced: at once on
 * the same machine or in the same container, after 45 s without a beat elsewhere. Rejects with a `Validation` error that names who holds it, by
 * `host` and process id.
 */
export async function lockJournal(base: string, host: string, clock: Clock): Promise<JournalLock> {
  const file = `${base}${LOCK}`;
  const own: Holder = { token: randomUUID(), pid: process.pid, numbers: await processNumbers(), host };
  for (let tries = 1; !(await create(file, own)); tries += 1) {
    const holder = await holderOf(file);
    if (tries >= MOST_TRIES) throw taken(holder ?? UNKNOWN);
    if (holder === undefined) continue;
    if (!(await isGone(file, holder, { own, clock }))) throw taken(holder);
    await evict(file, holder);
  }
  held.add(own.token);
  const ended = new AbortController();
  void beat(file, clock, ended.signal);
  return {
    async release() {
      ended.abort();
      held.delete(own.token);
      const holder = await holderOf(file).catch(() => undefined);
      if (holder?.token === own.token) await rm(file, { force: true });
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
    throw unusable(path.dirname(file), error);
  } finally {
    await rm(writing, { force: true });
  }
}

async function holderOf(file: string): Promise<Holder | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw unusable(path.dirname(file), error);
  });
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  return isHolder(value) ? value : { ...UNKNOWN, token: text };
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === 'object' &&
    value !== null &&
    'token' in value &&
    'pid' in value &&
    'numbers' in value &&
    'host' in value &&
    typeof value.token === 'string' &&
    typeof value.pid === 'number' &&
    typeof value.numbers === 'string' &&
    typeof value.host === 'string'
  );
}

async function isGone(
  file: string,
  holder: Holder,
  { own, clock }: { readonly own: Holder; readonly clock: Clock },
): Promise<boolean> {
  if (held.has(holder.token)) return false;
  if (holder.numbers === own.numbers && (holder.pid === own.pid || !isAlive(holder.pid))) return true;
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
