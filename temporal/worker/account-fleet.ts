import type { ServedAccount } from '../../api/account/account';
import type { Worker } from '@temporalio/worker';

interface FleetParts {
  /** Makes the workers of an account. They don't poll yet. */
  createWorkers(accountId: string): Promise<readonly Worker[]>;
  /**
   * An account is served from now on, or has changed. Its secrets, options and limits apply to everything that begins.
   */
  onServed(accountId: string, served: ServedAccount): void;
  /** The account's last activity has ended. */
  onGone(accountId: string): void;
  /** A worker could not be made for an account that was added later. It is retried. */
  onFailure(accountId: string, error: unknown): void;
  /** Work of a removed account did not end in its grace period, and was given up. */
  onGivenUp(accountId: string, error: unknown): void;
  /** Waits before such a retry. Rejects or resolves at once when `signal` aborts. */
  pause(signal: AbortSignal): Promise<void>;
}

/** The workers of all accounts that this process serves. Accounts can be added, changed and removed. */
export interface AccountFleet {
  /**
   * Resolves when exactly these accounts are polled. New accounts get workers, and removed ones begin to drain. The
   * first call rejects if workers can't be made; later calls retry until they can.
   */
  apply(accounts: ReadonlyMap<string, ServedAccount>): Promise<void>;
  /** Takes no new work. Running activities get their grace period. */
  drain(): void;
  /** Names of all polled queues. */
  queues(): readonly string[];
  /** The number of polled accounts, and of accounts that drain because they were removed or the process stops. */
  accounts(): { readonly served: number; readonly draining: number };
  /** Why this process is not ready, one phrase each. Empty: every queue of every account is polled. */
  notReady(): readonly string[];
  /**
   * Resolves when `drain` has ended all workers. If a worker died by itself, rejects after the others have drained.
   */
  readonly ended: Promise<void>;
}

interface Running {
  readonly workers: readonly Worker[];
  /** The workers of the account drain, so it no longer counts as served. */
  stopping: boolean;
}

export function createAccountFleet(parts: FleetParts): AccountFleet {
  return new Fleet(parts);
}

class Fleet implements AccountFleet {
  private readonly running = new Map<string, Running>();
  private wanted: ReadonlyMap<string, ServedAccount> = new Map();
  private readonly starting = new Map<string, Promise<void>>();
  private readonly draining = new AbortController();
  private failure: { readonly error: unknown } | undefined;
  private settle: { resolve(): void; reject(error: unknown): void } | undefined;
  readonly ended: Promise<void>;

  constructor(private readonly parts: FleetParts) {
    this.ended = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    // Prevents an unhandled rejection. A caller that only uses `apply` gets the error there.
    this.ended.catch(() => undefined);
  }

  async apply(accounts: ReadonlyMap<string, ServedAccount>): Promise<void> {
    const first = this.wanted.size === 0;
    this.wanted = accounts;
    for (const [id, served] of accounts) this.parts.onServed(id, served);
    const ids = [...new Set([...accounts.keys(), ...this.running.keys(), ...this.starting.keys()])];
    if (!first) {
      await Promise.all(ids.map((id) => this.reconcileWithRetries(id)));
      return;
    }
    await Promise.all(ids.map((id) => this.reconcile(id))).catch((error: unknown) => {
      this.fail(error);
      throw error;
    });
  }

  drain(): void {
    this.draining.abort();
    for (const running of this.running.values()) stop(running);
    this.endIfEmpty();
  }

  queues(): readonly string[] {
    const workers = [...this.running.values()].flatMap((running) => running.workers);
    return workers.map((worker) => worker.options.taskQueue);
  }

  accounts(): { readonly served: number; readonly draining: number } {
    const draining = [...this.running.values()].filter(({ stopping }) => stopping).length;
    return { served: this.running.size - draining, draining };
  }

  notReady(): readonly string[] {
    if (this.draining.signal.aborted) return ['the worker drains'];
    if (this.wanted.size === 0) return ['no account is served yet'];
    return [...this.wanted.keys()].flatMap((id) => {
      const running = this.running.get(id);
      if (running === undefined || running.stopping) return [`account ${id} is not polled yet`];
      return running.workers
        .filter((worker) => worker.getState() !== 'RUNNING')
        .map((worker) => `queue ${worker.options.taskQueue} is ${worker.getState().toLowerCase()}`);
    });
  }

  /**
   * Updates what runs for an account to its wanted state. If its workers must drain first, the rest follows when they
   * have ended.
   */
  private async reconcile(id: string): Promise<void> {
    const isWanted = this.wanted.has(id);
    const running = this.running.get(id);
    if (running !== undefined) {
      if (!isWanted) stop(running);
      return;
    }
    if (!isWanted || this.draining.signal.aborted) return;
    const start = this.starting.get(id) ?? this.start(id).finally(() => this.started(id));
    this.starting.set(id, start);
    await start;
  }

  private async start(id: string): Promise<void> {
    const workers = await this.parts.createWorkers(id);
    const running: Running = { workers, stopping: false };
    this.running.set(id, running);
    const runs = workers.map((worker) => worker.run());
    void this.follow(id, running, runs);
    // The account may have been drained or removed meanwhile. Workers can be stopped only after they run.
    if (this.draining.signal.aborted) stop(running);
    else void this.reconcile(id);
  }

  private started(id: string): void {
    this.starting.delete(id);
    this.endIfEmpty();
  }

  private async follow(id: string, running: Running, runs: readonly Promise<void>[]): Promise<void> {
    await Promise.all(runs).catch(async (error: unknown) => {
      // One account was removed, and its work does not end. That must not end the work of other accounts.
      if (running.stopping && !this.draining.signal.aborted) this.parts.onGivenUp(id, error);
      // If one worker dies, all workers drain. Otherwise its uploads would wait unnoticed.
      else this.fail(error);
      await Promise.allSettled(runs);
    });
    running.stopping = true;
    this.running.delete(id);
    if (this.wanted.has(id) && !this.draining.signal.aborted) void this.reconcileWithRetries(id);
    else this.parts.onGone(id);
    this.endIfEmpty();
  }

  /** Retries until it succeeds, because an added account must not wait for the next change of the file. */
  private async reconcileWithRetries(id: string): Promise<void> {
    do {
      try {
        await this.reconcile(id);
        return;
      } catch (error) {
        this.parts.onFailure(id, error);
        // A drain ends the pause.
        await this.parts.pause(this.draining.signal).catch(() => undefined);
      }
    } while (!this.draining.signal.aborted && this.wanted.has(id));
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.drain();
  }

  private endIfEmpty(): void {
    if (!this.draining.signal.aborted || this.running.size + this.starting.size > 0) return;
    if (this.failure === undefined) this.settle?.resolve();
    else this.settle?.reject(this.failure.error);
  }
}

function stop(running: Running): void {
  running.stopping = true;
  for (const worker of running.workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
