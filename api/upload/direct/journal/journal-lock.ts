import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Clock } from '../../../clock';
import { ValidationError } from '../../../errors';
import type { JournalLock } from './held-lock';
import { holdLock, keepFromSweeping } from './held-lock';
import type { ChainLink, OwnLink } from './lock-chain';
import { makeLink, readChain } from './lock-chain';
import type { Holder } from './lock-holder';
import { heldHere, lifeOf } from './lock-holder';
import { processNumbers } from './process-numbers';

export interface Locking {
  /** This machine's name, shown to whoever meets the lock. */
  readonly host: string;
  readonly clock: Clock;
  /** Ends the wait for a holder that may be gone. */
  readonly signal?: AbortSignal | undefined;
  /** A holder that may be gone is watched from now on: the reason, for people. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
}

/** A holder that gives no heartbeat for so long is gone, ms. Counted by this machine, from when it was first seen. */
const SILENT_MS = 45_000;
const LOOK_MS = 1_500;
const MAX_TRIES = 5;

/**
 * Makes sure that one process at a time uploads under an ingest key. A holder that ended is replaced: at once on the same machine or in the same container, else
 * after 45 s in which it gave no heartbeat; clocks of other machines count nothing. Rejects with a `Validation` error that names who holds it as soon as that one
 * is known to live, and with the signal's reason.
 */
export async function lockJournal(base: string, locking: Locking): Promise<JournalLock> {
  const own: Holder = {
    token: randomUUID(),
    pid: process.pid,
    numbers: await processNumbers(),
    host: locking.host,
  };
  // Before the first link is made: others of this process may see it at once.
  heldHere().add(own.token);
  try {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const link = await tryToLock(base, own, locking);
      if (link !== undefined) return holdLock({ base, own, link, clock: locking.clock });
    }
    throw taken((await readChain(base)).at(-1)?.holder ?? own);
  } catch (error) {
    heldHere().delete(own.token);
    throw error;
  }
}

/** Undefined: another process was faster, or gave the lock back meanwhile. */
async function tryToLock(base: string, own: Holder, locking: Locking): Promise<OwnLink | undefined> {
  const before = (await readChain(base)).at(-1);
  if (before !== undefined && !(await isGone(base, before, { ...locking, own }))) return undefined;
  const link = await makeLink(base, own, before);
  if (link === undefined || before === undefined) return link;
  const chain = await readChain(base);
  if (isBehind(chain, own, before)) {
    const earlier = chain.map(({ file }) => file).filter((file) => file !== link.file);
    await keepFromSweeping(earlier, locking.clock.now());
    return link;
  }
  await rm(link.file, { force: true });
  await link.handle.close();
  return undefined;
}

/** False: it gave the lock back, or another process took over meanwhile. Rejects if it lives. */
async function isGone(
  base: string,
  before: ChainLink,
  { own, clock, signal, onWaiting }: Locking & { readonly own: Holder },
): Promise<boolean> {
  const { holder, heartbeatAt, stamp, file } = before;
  const life = lifeOf(holder, own, { heartbeatAt, now: clock.now() });
  if (life === 'alive') throw taken(holder);
  if (life === 'gone') return true;
  onWaiting?.(
    `The ingest key is locked by process ${holder.pid} on ${holder.host}, which may be gone: waiting up to ${SILENT_MS / 1000} s for its heartbeat`,
  );
  // Not by the time of day: each pause takes at least its time.
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await clock.sleep(LOOK_MS, signal);
    const now = (await readChain(base)).at(-1);
    if (now?.file !== file || now.holder.token !== holder.token) return false;
    if (now.stamp !== stamp) throw taken(holder);
  }
  return true;
}

/** Whether an own link is the chain's last, behind a holder that gave no heartbeat since it was judged. */
function isBehind(chain: readonly ChainLink[], own: Holder, before: ChainLink): boolean {
  const [previous, last] = chain.slice(-2);
  return (
    last?.holder.token === own.token && previous?.file === before.file && previous.stamp === before.stamp
  );
}

function taken({ pid, host }: Holder): ValidationError {
  return new ValidationError(
    'ingestKey',
    `another execution uploads under this ingest key right now (process ${pid} on ${host})`,
    'Wait for its end, or give this file an ingest key of its own.',
  );
}
