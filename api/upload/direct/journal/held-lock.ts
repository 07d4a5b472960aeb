import { utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../clock';
import { ConfigurationError, MediaServiceError, ValidationError } from '../../../errors';
import { systemCodeOf } from '../../sources/source-failure';
import type { OwnLink } from './lock-chain';
import { endChain, readChain } from './lock-chain';
import type { Holder } from './lock-holder';
import { heldHere } from './lock-holder';

const HEARTBEAT_MS = 10_000;
/** So long a heartbeat may fail; with the pause before it that is less than others watch a silent holder. */
const PATIENCE_MS = 25_000;
const AGAIN_MS = 2_000;

/** The lock of an ingest key while this process holds it. */
export interface JournalLock {
  /** Aborts with an error once the lock is lost: its file could not be renewed for too long, or another process took over. */
  readonly signal: AbortSignal;
  /**
   * Resolves only while the lock is ours, and stays so for as long as others watch a silent holder. To be called right before anything that must not happen
   * twice. Rejects with the reason of `signal`.
   */
  check(): Promise<void>;
  /** Never rejects: a lock that stays behind is taken over. */
  release(): Promise<void>;
}

export interface HeldLink {
  readonly base: string;
  readonly own: Holder;
  readonly link: OwnLink;
  readonly clock: Clock;
}

/** Keeps a link at the end of the chain by a heartbeat every ten seconds. Its token is among `heldHere` already. */
export function holdLock(held: HeldLink): JournalLock {
  return new HeldLock(held);
}

class HeldLock implements JournalLock {
  private readonly lost = new AbortController();
  private readonly ended = new AbortController();
  /** One heartbeat after the other. */
  private last: Promise<void> = Promise.resolve();
  private stampMs = 0;

  constructor(private readonly held: HeldLink) {
    void this.keep();
  }

  get signal(): AbortSignal {
    return this.lost.signal;
  }

  check(): Promise<void> {
    this.last = this.last.catch(() => undefined).then(() => this.renew());
    return this.last;
  }

  async release(): Promise<void> {
    const { base, own, link } = this.held;
    this.ended.abort();
    await this.last.catch(() => undefined);
    try {
      // A heartbeat first: who takes over right now then sees it, and leaves the chain to us.
      await this.heartbeat();
      await endChain(await readChain(base));
    } catch {
      // It is another's by now, or cannot be reached.
    } finally {
      heldHere().delete(own.token);
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
      // It was released or lost: see `signal`.
    }
  }

  /** A heartbeat that does not fail for longer than others wait; a lock that is lost stays lost. */
  private async renew(): Promise<void> {
    this.lost.signal.throwIfAborted();
    const { clock, base } = this.held;
    const over = new AbortController();
    let failure: unknown;
    const tooLate = clock.sleep(PATIENCE_MS, over.signal).then(() => {
      throw silent(base, failure);
    });
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

  /** Renewed first, then read: who takes over after this heartbeat sees that it came. */
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

/** The file of a holder that is gone would count as old and be swept, and with it the chain. */
export async function keepFromSweeping(files: readonly string[], now: number): Promise<void> {
  const time = new Date(now);
  await Promise.all(files.map((file) => utimes(file, time, time).catch(() => undefined)));
}

function takenOver(holder: Holder | undefined): MediaServiceError {
  const who = holder === undefined ? 'is gone' : `is that of process ${holder.pid} on ${holder.host} by now`;
  return new ValidationError(
    'ingestKey',
    `the lock of this ingest key ${who}, so that this upload stops`,
    'This process stood still for too long, or somebody removed the lock file. Run the upload again once no other one runs under this ingest key.',
  );
}

function silent(base: string, failure: unknown): MediaServiceError {
  const said = failure instanceof MediaServiceError ? failure.message : 'no answer';
  const reason = systemCodeOf(failure) ?? said;
  return new ConfigurationError(
    'stateDir',
    `the lock of this ingest key in ${path.dirname(base)} could not be renewed for ${PATIENCE_MS / 1000} s (${reason}), so that this upload stops`,
    'Check the disk or share of MEDIA_SERVICE_STATE_DIR, then run the upload again.',
  );
}
