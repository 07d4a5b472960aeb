import { utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../clock';
import { ConfigurationError, MediaServiceError, ValidationError } from '../../../errors';
import { systemCodeOf } from '../../../../files/system-error';
import { endChain, readChain } from './lock-chain';
import type { OwnLink } from './lock-chain';
import { heldHere } from './lock-holder';
import type { Holder } from './lock-holder';

const HEARTBEAT_MS = 10_000;
/**
 * How long a heartbeat may fail, ms. Together with the pause before it, this is less than the time for which others
 * watch a silent holder.
 */
const RETRY_FOR_MS = 25_000;
const AGAIN_MS = 2_000;

/** The lock of an ingest key while this process holds it. */
export interface JournalLock {
  /**
   * Aborts with an error once the lock is lost: its file could not be renewed for too long, or another process took
   * over.
   */
  readonly signal: AbortSignal;
  /**
   * Resolves only if the lock is ours, and stays ours for as long as others watch a silent holder. Call it right before
   * anything that must not happen twice. Rejects with the reason of `signal`.
   */
  check(): Promise<void>;
  /** Never rejects: another process takes over a lock that stays behind. */
  release(): Promise<void>;
}

interface HeldLink {
  readonly base: string;
  readonly own: Holder;
  readonly link: OwnLink;
  readonly clock: Clock;
}

/** Holds a link at the end of the chain by a heartbeat every ten seconds. Its token must be in `heldHere` already. */
export function holdLock(held: HeldLink): JournalLock {
  return new HeldLock(held);
}

class HeldLock implements JournalLock {
  private readonly lost = new AbortController();
  private readonly ended = new AbortController();
  /** The last heartbeat; each one waits for the one before. */
  private last: Promise<void> = Promise.resolve();
  private stampMs = 0;

  constructor(private readonly held: HeldLink) {
    void this.keep();
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  check(): Promise<void> {
    // The earlier caller got that failure; this call makes its own attempt.
    this.last = this.last.catch(() => undefined).then(() => this.renew());
    return this.last;
  }

  async release(): Promise<void> {
    const { base, own, link } = this.held;
    this.ended.abort();
    // The earlier caller got that failure.
    await this.last.catch(() => undefined);
    try {
      // A heartbeat first: a process that takes over right now sees it and leaves the chain to us.
      await this.heartbeat();
      await endChain(await readChain(base));
    } catch {
      // The lock now belongs to another process, or can't be reached.
    } finally {
      heldHere().delete(own.token);
      // The file is gone or another process's, and this process no longer needs the handle.
      await link.handle.close().catch(() => undefined);
    }
  }

  private async keep(): Promise<void> {
    try {
      for (;;) {
        await this.held.clock.sleep(HEARTBEAT_MS, this.ended.signal);
        await this.check();
      }
    } catch {
      // The lock was released or lost: see `signal`.
    }
  }

  /** Retries a heartbeat, but ends before others stop waiting. A lost lock stays lost. */
  private async renew(): Promise<void> {
    this.lost.signal.throwIfAborted();
    const { clock, base } = this.held;
    const over = new AbortController();
    let failure: unknown;
    const tooLate = clock.sleep(RETRY_FOR_MS, over.signal).then(() => {
      throw silent(base, failure);
    });
    // The race below handles this rejection. After the race nobody does.
    tooLate.catch(() => undefined);
    const trying = async (): Promise<void> => {
      for (;;) {
        try {
          await this.heartbeat();
          return;
        } catch (error) {
          if (error instanceof ValidationError || over.signal.aborted) throw error;
          failure = error;
          await clock.sleep(AGAIN_MS, over.signal);
        }
      }
    };
    try {
      await Promise.race([trying(), tooLate]);
    } catch (error) {
      this.lost.abort(error);
      throw error;
    } finally {
      over.abort();
    }
  }

  /** Writes first, then reads: a process that takes over after this heartbeat sees it. */
  private async heartbeat(): Promise<void> {
    const { base, own, link, clock } = this.held;
    const now = clock.now();
    this.stampMs = now > this.stampMs ? now : this.stampMs + 1_000;
    const time = new Date(this.stampMs);
    await link.handle.utimes(time, time);
    const holder = (await readChain(base)).at(-1)?.holder;
    if (holder?.token !== own.token) throw takenOver(holder);
  }
}

/** Renews the times of files of ended holders. Otherwise the sweep would remove them as old, and the chain with them. */
export async function keepFromSweeping(files: readonly string[], now: number): Promise<void> {
  const time = new Date(now);
  // A missing file needs no protection.
  await Promise.all(files.map((file) => utimes(file, time, time).catch(() => undefined)));
}

function takenOver(holder: Holder | undefined): MediaServiceError {
  const who = holder === undefined ? 'is gone' : `now belongs to process ${holder.pid} on ${holder.host}`;
  return new ValidationError(
    'ingestKey',
    `the lock of this ingest key ${who}; this upload stops`,
    'This process was suspended for too long, or somebody removed the lock file. Run the upload again once no other one runs under this ingest key.',
  );
}

function silent(base: string, failure: unknown): MediaServiceError {
  const said = failure instanceof MediaServiceError ? failure.message : 'no answer';
  const reason = systemCodeOf(failure) ?? said;
  return new ConfigurationError(
    'stateDir',
    `the lock of this ingest key in ${path.dirname(base)} could not be renewed for ${RETRY_FOR_MS / 1000} s (${reason}); this upload stops`,
    'Check the disk or share of this folder, then run the upload again.',
  );
}
