import type { Context } from '@temporalio/activity';
import { EARLY_OUTCOMES_SIGNAL } from '../../contract/groups';
import type { EarlyOutcomes } from '../../contract/groups';

/** Without a new outcome for this time, the slowest inputs of the group are left. */
const QUIET_MS = 100;
/** Outcomes that still arrive one after the other are sent after this time. Each signal divides later groups. */
const STEADY_MS = 2_000;

interface EarlySource {
  readonly context: Pick<Context, 'client' | 'info' | 'log'>;
  /** Number of the group. */
  readonly number: number;
  /** See `GroupStep`. */
  readonly yieldAfterMs: number | undefined;
  /** Values and failures so far. An input that must be tried again may be repeated with its group. */
  outcomes(): EarlyOutcomes['outcomes'];
  /** Inputs without an outcome. */
  open(): number;
  /** Lets the step record the values so far. */
  record(): Promise<void>;
  /** Keeps the outcomes even if this worker is lost, so that none of them is done again. */
  keep(): void;
}

/**
 * Sends outcomes before the slowest inputs of a group have ended. Each signal carries at least as many outcomes as
 * inputs are left, so that a group needs few signals. Only the first may carry fewer, or none, if the group must yield.
 * The group's result does not repeat outcomes that Temporal has accepted.
 */
export class EarlySender {
  private readonly sent = new Set<number>();
  private readonly taken = new Set<number>();
  private sending: Promise<void> | undefined;
  /** Number of outcomes at the last look. */
  private seen = 0;
  private lastSentAt = Date.now();
  /** The first signal lets the next group of the lane leave. */
  private hasYielded = false;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly source: EarlySource) {
    this.timer = setInterval(() => {
      this.sending ??= this.send().finally(() => {
        this.sending = undefined;
      });
    }, QUIET_MS);
  }

  /** Resolves when no signal is in flight, with the inputs whose outcomes Temporal has accepted. */
  async stop(): Promise<ReadonlySet<number>> {
    clearInterval(this.timer);
    await this.sending;
    return this.taken;
  }

  private mustYield(): boolean {
    const { yieldAfterMs = Infinity } = this.source;
    return !this.hasYielded && Date.now() - this.lastSentAt >= yieldAfterMs;
  }

  private async send(): Promise<void> {
    const { context, number } = this.source;
    const all = this.source.outcomes();
    const isSteady = all.length > this.seen && Date.now() - this.lastSentAt < STEADY_MS;
    this.seen = all.length;
    if (isSteady) return;
    const next = new Set(all.flatMap(([index]) => (this.sent.has(index) ? [] : [index])));
    const open = this.source.open();
    const { workflowExecution } = context.info;
    if (open === 0 || workflowExecution === undefined) return;
    if (next.size < open && !this.mustYield()) return;
    this.hasYielded = true;
    for (const index of next) this.sent.add(index);
    this.lastSentAt = Date.now();
    await this.source.record();
    this.source.keep();
    const outcomes = this.source.outcomes().filter(([index]) => next.has(index));
    const { workflowId, runId } = workflowExecution;
    const news: EarlyOutcomes = { number, outcomes };
    try {
      await context.client.workflow.getHandle(workflowId, runId).signal(EARLY_OUTCOMES_SIGNAL, news);
      for (const [index] of outcomes) this.taken.add(index);
    } catch (error) {
      // The group's result contains them.
      context.log.debug('Outcomes could not be sent early', { error });
    }
  }
}
