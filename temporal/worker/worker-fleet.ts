import type { Worker } from '@temporalio/worker';

interface FleetParts {
  readonly accountIds: readonly string[];
  /** Resolves when the service has accepted a login of the account. Rejects if it refuses it, or when `signal` aborts. */
  logIn(accountId: string, signal: AbortSignal): Promise<void>;
  /** Makes the workers of an account. They don't poll yet. */
  createWorkers(accountId: string): Promise<readonly Worker[]>;
}

/**
 * The Temporal workers of all accounts that this process serves. Each account is polled after its first login. An
 * account whose login is refused is not served, and the others are.
 */
export class WorkerFleet {
  private readonly running = new Map<string, readonly Worker[]>();
  private readonly refused = new Set<string>();
  private readonly draining = new AbortController();
  private readonly ends: Promise<void>[] = [];
  /**
   * Resolves when the queues of all accounts are polled whose login was accepted. Rejects if none was, or if workers
   * can't be made, after those that run have ended.
   */
  readonly started: Promise<void>;
  /** Resolves when `drain` has ended all workers. Rejects if a worker died by itself, after the others have drained. */
  readonly ended: Promise<void>;

  constructor(private readonly parts: FleetParts) {
    this.started = this.startAll();
    this.ended = this.started.then(() => this.end());
    // A caller that awaits only `started` gets its error there.
    this.ended.catch(() => undefined);
  }

  /** Takes no new work. Running activities get their grace period. */
  drain(): void {
    this.draining.abort();
    this.workers().forEach(stop);
  }

  /** Names of all polled queues. */
  queues(): readonly string[] {
    return this.workers().map((worker) => worker.options.taskQueue);
  }

  /** Why this process is not ready, one phrase each. Empty: every queue of every account is polled. */
  notReady(): readonly string[] {
    if (this.draining.signal.aborted) return ['the worker drains'];
    const missing = this.parts.accountIds.flatMap((id) => {
      if (this.refused.has(id)) return [`the login of account ${id} was refused`];
      return this.running.has(id) ? [] : [`account ${id} is not polled yet`];
    });
    const stopped = this.workers()
      .filter((worker) => worker.getState() !== 'RUNNING')
      .map((worker) => `queue ${worker.options.taskQueue} is ${worker.getState().toLowerCase()}`);
    return [...missing, ...stopped];
  }

  private workers(): Worker[] {
    return [...this.running.values()].flat();
  }

  private async startAll(): Promise<void> {
    const starts = this.parts.accountIds.map((id) => this.start(id));
    try {
      await Promise.all(starts);
    } catch (error) {
      this.drain();
      await Promise.allSettled(starts);
      await Promise.allSettled(this.ends);
      throw error;
    }
  }

  private async start(id: string): Promise<void> {
    const { signal } = this.draining;
    try {
      await this.parts.logIn(id, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.refused.add(id);
      if (this.refused.size === this.parts.accountIds.length) throw error;
      return;
    }
    const workers = await this.parts.createWorkers(id);
    this.running.set(id, workers);
    this.ends.push(...workers.map((worker) => this.run(worker)));
    // Workers can be stopped only after they run.
    if (signal.aborted) workers.forEach(stop);
  }

  /** If one worker dies, all workers drain. Otherwise its uploads would wait unnoticed. */
  private async run(worker: Worker): Promise<void> {
    try {
      await worker.run();
    } finally {
      this.drain();
    }
  }

  private async end(): Promise<void> {
    const results = await Promise.allSettled(this.ends);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

function stop(worker: Worker): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}
