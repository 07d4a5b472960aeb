import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { hasCode, MediaServiceError } from '../../api/errors';
import { given } from '../../api/json';
import type { PartResult } from '../../api/upload/types';
import { accountOf } from '../worker/activity-deps';
import type { ActivityDeps } from '../worker/activity-deps';
import { heartbeatIntervalMs, inActivity, retryDelayMs } from '../worker/in-activity';
import { Refusals } from '../worker/other-workers';
import { send } from '../worker/limits/admitted-part';
import type { Sender } from '../worker/limits/rates';
import { applicationFailureOf } from '../application-failure';
import { openedUrl, sealedUrl } from '../sealed-url';
import { countedPart } from '../telemetry/activities';
import type { RunPart, SendPartsInput, SentParts } from './types';

/** A part that ended is in a heartbeat after this time, so that a lost worker can't lose it. */
const NEWS_MS = 1_000;

/**
 * Sends a run of parts, some of them at once. Heartbeats carry the parts that are done, so that the next try sends only
 * the rest. The first part that fails ends the try, after those under way have ended; if it can't be retried, they are
 * aborted. api.md, "Upload of each chunk".
 */
export function sendParts(deps: ActivityDeps) {
  return (input: SendPartsInput): Promise<readonly PartResult[]> =>
    inActivity((signal) => new PartsRun(deps, input, signal).toEnd());
}

/** One try of the activity. */
class PartsRun {
  readonly #context = Context.current();
  readonly #failing = new AbortController();
  readonly #signal: AbortSignal;
  readonly #done: PartResult[];
  /** Of parts that are not done. */
  readonly #tries: Map<number, number>;
  readonly #urls: Map<number, NonNullable<RunPart['url']>>;
  readonly #bytes = new Map<number, number>();
  readonly #queue: RunPart[];
  #running = 0;
  #failure: Error | undefined;
  readonly #refusals: Refusals;
  #hasNews = false;

  constructor(
    private readonly deps: ActivityDeps,
    private readonly input: SendPartsInput,
    signal: AbortSignal,
  ) {
    const kept = this.#context.info.heartbeatDetails as SentParts | undefined;
    this.#signal = AbortSignal.any([signal, this.#failing.signal]);
    this.#refusals = new Refusals(deps.identity);
    this.#done = [...(kept?.done ?? [])];
    this.#tries = new Map(kept?.tries);
    this.#urls = new Map(kept?.urls.map((url) => [url.partNumber, url]));
    const done = new Set(this.#done.map(({ partNumber }) => partNumber));
    this.#queue = input.parts.filter(({ partNumber }) => !done.has(partNumber));
  }

  async toEnd(): Promise<readonly PartResult[]> {
    const intervalMs = heartbeatIntervalMs(this.#context);
    const tickMs = Math.min(NEWS_MS, intervalMs);
    let silentMs = 0;
    const timer = setInterval(() => {
      silentMs += tickMs;
      if (!this.#hasNews && silentMs < intervalMs) return;
      silentMs = 0;
      this.#heartbeat();
    }, tickMs);
    try {
      const workers = Math.min(this.input.atOnce, this.#queue.length);
      await Promise.all(Array.from({ length: workers }, () => this.#work()));
    } finally {
      clearInterval(timer);
    }
    if (this.#failure === undefined) return this.#done;
    // What the last heartbeats said is sent with the failure.
    this.#heartbeat();
    throw this.#failure;
  }

  async #work(): Promise<void> {
    while (this.#failure === undefined) {
      const part = this.#queue.shift();
      if (part === undefined) return;
      this.#running += 1;
      try {
        if (this.deps.stopping.signal.aborted) throw stopping();
        await this.#sendCounted(part);
      } catch (cause) {
        const { error } = await this.#refusals.judge(cause);
        this.#queue.unshift(part);
        // Other parts use what this one needs. They send it later.
        if (isCrowdedOut(error) && this.#running > 1 && !this.deps.stopping.signal.aborted) return;
        this.#fail(part, error);
      } finally {
        this.#running -= 1;
        this.#bytes.delete(part.partNumber);
      }
    }
  }

  async #sendCounted(part: RunPart): Promise<void> {
    const { deps, input } = this;
    const { accountId: account } = input;
    const { partNumber } = part;
    const { info } = this.#context;
    const from = { accountId: account, queue: info.taskQueue };
    const attempts = (this.#tries.get(partNumber) ?? 0) + 1;
    const onBegin = (): void => {
      this.#tries.set(partNumber, attempts);
      this.#hasNews = true;
    };
    try {
      const { metrics } = deps;
      const sent = await countedPart({ metrics, account }, () => this.#send(part, from, onBegin));
      this.#done.push({ ...sent, attempts });
      this.#tries.delete(partNumber);
      this.#urls.delete(partNumber);
      this.#hasNews = true;
    } catch (error) {
      if (!this.#signal.aborted && !isCrowdedOut(error)) {
        this.#context.log.warn('Step failed', { step: 'sendPart', partNumber, tries: attempts, error });
      }
      throw error;
    }
  }

  #send(
    { url: first, ...part }: RunPart,
    from: Sender,
    onBegin: () => void,
  ): Promise<Omit<PartResult, 'attempts'>> {
    const { parts: _parts, atOnce: _atOnce, accountId, ...shared } = this.input;
    const { sealKeys } = accountOf(this.deps, accountId);
    const { uploadId } = shared;
    const { partNumber } = part;
    const opened = openedUrl(sealKeys, uploadId, this.#urls.get(partNumber) ?? first);
    return send(this.deps, {
      from,
      part: { ...shared, ...part, ...opened },
      hooks: {
        signal: this.#signal,
        onBegin,
        onBytes: (bytes) => void this.#bytes.set(partNumber, bytes),
        onFreshUrl: (fresh) => {
          this.#urls.set(partNumber, sealedUrl(sealKeys, uploadId, fresh));
          this.#heartbeat();
        },
      },
    });
  }

  /** The next try waits as long as this part must, not as long as all tries of the run would suggest. */
  #fail({ partNumber }: RunPart, error: unknown): void {
    if (this.#failure !== undefined) return;
    const tries = this.#tries.get(partNumber) ?? 1;
    this.#failure = applicationFailureOf(error, {
      tries,
      delayMs: retryDelayMs(tries),
      more: [this.#done],
    });
    if (this.#failure instanceof ApplicationFailure && this.#failure.nonRetryable === true) {
      this.#failing.abort(error);
    }
  }

  #heartbeat(): void {
    this.#hasNews = false;
    const underWay = [...this.#bytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    const details: SentParts = {
      done: this.#done,
      tries: [...this.#tries],
      urls: [...this.#urls.values()],
      bytes: this.#done.reduce((sum, { bytes }) => sum + bytes, underWay),
      ...given({ refusedBy: this.#refusals.refusedBy }),
    };
    this.#context.heartbeat(details);
  }
}

/** Nothing was sent, because other parts keep this worker busy. */
function isCrowdedOut(error: unknown): boolean {
  return hasCode(error, 'WorkerBusy') && error.outcome === 'unsent';
}

function stopping(): MediaServiceError {
  return new MediaServiceError('WorkerBusy', 'this worker stops, so another one sends the other parts', {
    outcome: 'unsent',
    retryAfterMs: 100,
  });
}
