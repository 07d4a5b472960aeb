import type { AccountLimits } from '../../../api/account';
import type { Clock } from '../../../api/clock';
import { MediaServiceError } from '../../../api/errors';
import type { AskingPart } from '../../../api/upload/part/admission';

/** Whose parts count together. */
export interface Sender {
  readonly accountId: string;
  readonly queue: string;
}

interface RatedPart extends Sender, Pick<AskingPart, 'partNumber' | 'url'> {}

interface Turn {
  /** What begins, as `part 7`. */
  readonly what: string;
  /** The limit's name, and whose it is: these count together. */
  readonly limit: keyof AccountLimits;
  readonly of: string;
  readonly perSecond: number | undefined;
}

const MAX_WAIT_MS = 15_000;

/**
 * How often this worker begins calls and parts. Each method resolves when it may begin, at once without a limit. It
 * rejects with `WorkerBusy` if that would take long, and with the signal's reason when it aborts. The begins of a limit
 * are evenly spaced, and unused ones are not saved: at most `perSecond` in a second, plus one.
 */
export class Rates {
  /** The earliest time for the next begin, epoch ms. */
  readonly #next = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly limitsOf: (accountId: string) => AccountLimits,
  ) {}

  /** For a step that calls the service. */
  admitCall(accountId: string, signal: AbortSignal): Promise<void> {
    const { callsPerSecond: perSecond } = this.limitsOf(accountId);
    const what = 'a call of the service';
    return this.#begin({ what, limit: 'callsPerSecond', of: accountId, perSecond }, signal);
  }

  /** For a part, by its account's limits for all parts and for its storage host. */
  async admitPart({ accountId, queue, partNumber, url }: RatedPart, signal: AbortSignal): Promise<void> {
    const { partsPerSecond, storagePartsPerSecond: byHost = {} } = this.limitsOf(accountId);
    const { host } = new URL(url);
    const perSecond = byHost[host] ?? byHost['*'];
    const what = `part ${partNumber}`;
    await this.#begin({ what, limit: 'partsPerSecond', of: queue, perSecond: partsPerSecond }, signal);
    await this.#begin({ what, limit: 'storagePartsPerSecond', of: host, perSecond }, signal);
  }

  async #begin({ what, limit, of, perSecond }: Turn, signal: AbortSignal): Promise<void> {
    if (perSecond === undefined) return;
    const key = `${limit} ${of}`;
    const now = this.clock.now();
    const at = Math.max(this.#next.get(key) ?? now, now);
    const lateMs = at - now - MAX_WAIT_MS;
    if (lateMs > 0) throw busy(what, `${limit} of the account`, Math.ceil(lateMs));
    this.#next.set(key, at + 1000 / perSecond);
    if (at > now) await this.clock.sleep(Math.ceil(at - now), signal);
  }
}

function busy(what: string, limit: string, retryAfterMs: number): MediaServiceError {
  return new MediaServiceError('WorkerBusy', `${what}: not begun, because too many wait for ${limit}`, {
    operation: what,
    outcome: 'unsent',
    retryAfterMs,
    hint: `It is retried automatically; raise ${limit}, or do less at once.`,
  });
}
