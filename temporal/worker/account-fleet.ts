import type { Worker } from '@temporalio/worker';
import type { ServedAccount } from './worker-config';

export interface FleetParts {
  /** Makes the workers of an account; none of them polls yet. */
  createWorkers(accountId: string): Promise<readonly Worker[]>;
  /** An account is served from now on, or served in another way: its secrets, options and limits hold for everything that begins. */
  onServed(accountId: string, served: ServedAccount): void;
  /** The account's last activity has ended. */
  onGone(accountId: string): void;
  /** A worker could not be made for an account that came later; it is tried again. */
  onFailure(accountId: string, error: unknown): void;
  /** Waits before such a try; rejects or resolves at once when `signal` aborts. */
  pause(signal: AbortSignal): Promise<void>;
}

/** The workers of all accounts that this process serves; accounts may come, change and go. */
export interface AccountFleet {
  /**
   * Resolves once these very accounts are polled: new ones get workers, missing ones begin to drain. The first call rejects where workers cannot be
   * made, later ones try until it works.
   */
  apply(accounts: ReadonlyMap<string, ServedAccount>): Promise<void>;
  /** Nothing new is taken any more; running activities get their grace. */
  drain(): void;
  /** Names of all queues that are polled. */
  queues(): readonly string[];
  /** How many accounts are polled, and how many drain since they were removed or stopped. */
  accounts(): { readonly served: number; readonly draining: number };
  /** What keeps this process from being ready, a phrase each; empty: every queue of every account is polled. */
  notReady(): readonly string[];
  /** Resolves once `drain` has ended all workers; rejects when one died by itself, after the others drained. */
  readonly ended: Promise<void>;
}

interface Running {
  readonly workers: readonly Worker[];
  /** Its workers drain: it is gone. */
  stopping: boolean;
}

export function createAccountFleet(parts: FleetParts): AccountFleet {
  const fleet = new Fleet(parts);
  return {
    apply: (accounts) => fleet.apply(accounts),
    drain: () => fleet.drain(),
    queues: () => fleet.queues(),
    accounts: () => fleet.accounts(),
    notReady: () => fleet.notReady(),
    ended: fleet.ended,
  };
}

class Fleet {
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
    // Whoever only applies learns of it there.
    this.ended.catch(() => undefined);
  }

  async apply(accounts: ReadonlyMap<string, ServedAccount>): Promise<void> {
    const first = this.wanted.size === 0;
    this.wanted = accounts;
    for (const [id, served] of accounts) this.parts.onServed(id, served);
    const ids = [...new Set([...accounts.keys(), ...this.running.keys(), ...this.starting.keys()])];
    if (!first) {
      await Promise.all(ids.map((id) => this.reconcilePatiently(id)));
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

  /** Makes what runs for an account what is wanted of it; where its workers drain first, the rest follows at their end. */
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
    // It may have been drained or dropped meanwhile; workers can only be ended once they run.
    if (this.draining.signal.aborted) stop(running);
    else void this.reconcile(id);
  }

  private started(id: string): void {
    this.starting.delete(id);
    this.endIfEmpty();
  }

  private async follow(id: string, running: Running, runs: readonly Promise<void>[]): Promise<void> {
    await Promise.all(runs).catch(async (error: unknown) => {
      // Half a worker would leave its uploads waiting unseen: one that died takes all along.
      this.fail(error);
      await Promise.allSettled(runs);
    });
    running.stopping = true;
    this.running.delete(id);
    if (this.wanted.has(id) && !this.draining.signal.aborted) void this.reconcilePatiently(id);
    else this.parts.onGone(id);
    this.endIfEmpty();
  }

  /** Until it works: an account that was added must not wait for the next change of the file. */
  private async reconcilePatiently(id: string): Promise<void> {
    do {
      try {
        await this.reconcile(id);
        return;
      } catch (error) {
        this.parts.onFailure(id, error);
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
