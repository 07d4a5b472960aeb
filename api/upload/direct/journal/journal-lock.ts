import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Clock } from '../../../clock';
import { ValidationError } from '../../../errors';
import { holdLock, keepFromSweeping } from './held-lock';
import type { JournalLock } from './held-lock';
import { makeLink, readChain } from './lock-chain';
import type { ChainLink, OwnLink } from './lock-chain';
import { heldHere, lifeOf } from './lock-holder';
import type { Holder } from './lock-holder';
import { processNumbers } from './process-numbers';

export interface Locking {
  /** This machine's name, shown to other processes that meet the lock. */
  readonly host: string;
  readonly clock: Clock;
  /** Ends the wait for a holder that may be gone. */
  readonly signal?: AbortSignal | undefined;
  /** Called when it starts to watch a holder that may be gone. The reason is for people. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
}

/** A holder without a heartbeat for this long is gone, ms. This machine counts from when it first saw the holder. */
const SILENT_MS = 45_000;
const LOOK_MS = 1_500;
const MAX_TRIES = 5;

/**
 * Makes sure that only one process at a time uploads under an ingest key.
 *
 * It replaces a holder that ended: at once on the same machine or in the same container, else after 45 s without a
 * heartbeat. It does not rely on clocks of other machines. Rejects with a `Validation` error that names the holder once
 * the holder is known to be alive, and with the signal's reason.
 */
export async function lockJournal(base: string, locking: Locking): Promise<JournalLock> {
  const own: Holder = {
    token: randomUUID(),
    pid: process.pid,
    numbers: await processNumbers(),
    host: locking.host,
  };
  // Added before the first link is created, because others in this process may see the link at once.
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

/** Undefined: another process was faster, or the holder released the lock meanwhile. */
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

/** False: the holder released the lock, or another process took over meanwhile. Rejects if the holder is alive. */
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
  // Counts pauses, not the time of day: each pause takes at least its time.
  for (let waited = 0; waited < SILENT_MS; waited += LOOK_MS) {
    await clock.sleep(LOOK_MS, signal);
    const now = (await readChain(base)).at(-1);
    if (now?.file !== file || now.holder.token !== holder.token) return false;
    if (now.stamp !== stamp) throw taken(holder);
  }
  return true;
}

/**
 * Returns whether our own link is the last of the chain, after the judged holder, which has sent no heartbeat since.
 */
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
