import { Context } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError } from '@temporalio/client';
import { isCancelling, isOpen } from '../../client/list-executions';
import { ifKnown } from '../../client/rpc-failure';
import type { ActivityDeps } from '../../worker/activity-deps';
import { DEFAULT_HEARTBEAT_MS } from '../../worker/in-activity';

/** Counts are at most about this old, ms. */
const HEARTBEAT_MS = 2_500;
/** After this share of the heartbeat timeout without an answer, Temporal may soon start the page elsewhere. */
const USABLE = 0.8;
/** Share of the worker's time to stop that running rows may use. */
const USABLE_GRACE = 0.8;
/** How long running rows may continue after a pause, ms. */
const PAUSE_GRACE_MS = 30_000;
/** How often a page that ends looks whether the batch was cancelled, ms. */
const LOOK_MS = 1_000;

/**
 * What a page's activity knows about Temporal. It sends heartbeats that Temporal acknowledges. Once Temporal has not
 * answered for most of the heartbeat timeout, the page may be started elsewhere.
 */
export class PageContact {
  readonly #context = Context.current();
  readonly #timeoutMs = this.#context.info.heartbeatTimeoutMs ?? DEFAULT_HEARTBEAT_MS;
  readonly #details: () => unknown;
  readonly #stopping = new AbortController();
  readonly #ending = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** By `performance.now()`. */
  #answeredAt = performance.now();
  #lost = false;
  /** Temporal has cancelled the activity. */
  #asked = false;

  /** `details`: of a heartbeat. */
  constructor(
    { stopping, shutdownGraceMs }: Pick<ActivityDeps, 'stopping' | 'shutdownGraceMs'>,
    details: () => unknown,
  ) {
    this.#details = details;
    const every = Math.min(HEARTBEAT_MS, this.#timeoutMs / 4);
    this.#timers.add(setInterval(() => void this.heartbeat(), every));
    const { cancellationSignal } = this.#context;
    this.#once(cancellationSignal, () => void this.#stop());
    this.#once(stopping.signal, () => {
      this.#stopping.abort();
      this.#later(shutdownGraceMs * USABLE_GRACE, () => this.#end());
    });
  }

  /** Aborts when nothing may begin any more: pause, cancellation, shutdown, or no contact. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Aborts when running rows must end. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Whether another attempt may upload the page by now. Then this one must not write results. */
  isLost(): boolean {
    this.#lost ||= performance.now() - this.#answeredAt > this.#timeoutMs * USABLE;
    if (this.#lost) this.#end();
    return this.#lost;
  }

  close(): void {
    this.#end();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Reports the details. */
  async heartbeat(): Promise<void> {
    if (this.isLost()) return;
    const { client, info } = this.#context;
    const sentAt = performance.now();
    try {
      await client.activity.heartbeat(info.taskToken, this.#details());
      this.#answeredAt = sentAt;
      // For the SDK, which also ends activities without heartbeats.
      this.#context.heartbeat(this.#details());
    } catch (error) {
      if (error instanceof ActivityCancelledError) {
        this.#answeredAt = sentAt;
        await this.#stop();
      } else if (error instanceof ActivityNotFoundError) {
        this.#lost = true;
        this.#end();
      }
      // Temporal did not answer. The next heartbeat follows soon.
    }
  }

  /** A pause lets running rows end, a cancellation of the page does not. */
  async #stop(): Promise<void> {
    if (this.#asked) return;
    this.#asked = true;
    this.#stopping.abort();
    const { workerShutdown, notFound, timedOut } = this.#context.cancellationDetails ?? {};
    this.#lost ||= notFound === true || timedOut === true;
    // The SDK cancels for a shutdown only after the grace period.
    if (this.#lost || workerShutdown === true) {
      this.#end();
      return;
    }
    this.#later(PAUSE_GRACE_MS, () => this.#end());
    await this.#look();
  }

  async #look(): Promise<void> {
    // The SDK cancels outside the activity: there is no `Context.current()`.
    const { client, info } = this.#context;
    const handle = client.workflow.getHandle(info.workflowExecution?.workflowId ?? '');
    // Null: Temporal can't be asked now, and the next look follows.
    const page = await ifKnown(handle.describe()).catch(() => null);
    const isPaused = page === null || (page !== undefined && isOpen(page) && !isCancelling(page));
    if (isPaused) this.#later(LOOK_MS, () => void this.#look());
    else this.#end();
  }

  #end(): void {
    this.#stopping.abort();
    this.#ending.abort();
  }

  #once(signal: AbortSignal, run: () => void): void {
    if (signal.aborted) run();
    else signal.addEventListener('abort', run, { once: true, signal: this.#ending.signal });
  }

  #later(ms: number, run: () => void): void {
    if (!this.#ending.signal.aborted) this.#timers.add(setTimeout(run, ms));
  }
}
