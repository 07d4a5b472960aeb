import { setMaxListeners } from 'node:events';
import type { Context } from '@temporalio/activity';
import { systemClock } from '../../../api/clock';
import type { Again, Group, GroupHeartbeat, GroupResult, InputOutcome } from '../../contract/groups';
import { groupHeartbeatOf } from '../../contract/groups';
import type { ActivityDeps } from '../context/activity-deps';
import { GroupHeartbeats } from './group-heartbeats';
import { NotYet } from './group-step';
import type { GroupStep } from './group-step';
import { finalOutcome, isCrowdedOut, outcomeOfAbort, outcomeOfError, outcomeOfValue } from './outcome-of';
import { ResultSize } from './result-size';

/** After this number of tries that lost their worker, each input runs in its own group. */
const MAX_LOST = 2;
/** After this time, nothing more begins in the group. So a group ends soon, and other groups can run. */
const BEGIN_FOR_MS = 20_000;
/** Short, so that another worker takes the inputs. */
const REQUEUE_MS = 100;
const FIRST_RETRY_MS = 500;

interface GroupRunInput<Input, Value> {
  readonly deps: ActivityDeps;
  readonly step: GroupStep<Input, Value>;
  readonly group: Group<Input>;
  readonly context: Context;
}

interface Item<Input, Value> {
  readonly index: number;
  /** The input in the form in which it travels next. */
  input: Input;
  tries: number;
  outcome: InputOutcome<Input, Value> | undefined;
}

interface Pause {
  readonly pauseMs: number;
  /** No try within this group begins later, epoch ms. */
  readonly giveUpAt: number;
  /** Inputs that had an outcome when the try began. */
  readonly settled: number;
}

/** One try of a group. */
export class GroupRun<Input, Value> {
  private readonly items: readonly Item<Input, Value>[];
  private readonly heartbeats: GroupHeartbeats;
  private readonly signal: AbortSignal;
  private readonly beganAt = Date.now();
  private readonly size = new ResultSize();
  /** Tries of the group that ended without losing their worker. */
  private ended: number;
  /** Inputs with a running try. */
  private readonly running = new Set<Item<Input, Value>>();
  private settled = 0;
  private onOutcome: (() => void)[] = [];
  private lastNotYet = 'The worker requeued its inputs.';

  constructor(private readonly given: GroupRunInput<Input, Value>) {
    const { context, group, step } = given;
    this.signal = context.cancellationSignal;
    // Each input adds a listener to the signal. Node would warn from the eleventh on.
    setMaxListeners(0, this.signal);
    const known = groupHeartbeatOf(context.info.heartbeatDetails) as GroupHeartbeat<Input, Value> | undefined;
    const outcomes = new Map(known?.outcomes);
    const tries = new Map(known?.tries);
    const inputs = new Map(known?.inputs);
    this.ended = known?.ended ?? 0;
    this.items = group.inputs.map(({ input, tries: before = 0 }, index) => ({
      index,
      input: inputs.get(index) ?? input,
      tries: tries.get(index) ?? before,
      outcome: outcomes.get(index),
    }));
    for (const outcome of outcomes.values()) this.size.add(outcome, 0, false);
    const { transfer } = step;
    this.heartbeats = new GroupHeartbeats({ context, transfer, details: () => this.details() });
  }

  /** Never rejects because of one input. */
  async toEnd(): Promise<GroupResult<Input, Value>> {
    const { step, group } = this.given;
    const queue = this.open();
    if (this.lost() >= MAX_LOST && queue.length > 1) for (const item of queue) this.requeue(item, true);
    const workers = Math.min(group.concurrency ?? step.concurrency, queue.length);
    try {
      await Promise.all(Array.from({ length: workers }, () => this.work(queue)));
    } finally {
      this.heartbeats.stop();
    }
    for (const item of this.open()) this.requeue(item);
    return this.items.flatMap(({ outcome }) => outcome ?? []);
  }

  /** Ends this try of the group without a result, and without counting it as a lost worker. */
  endTry(): void {
    this.ended += 1;
    for (const item of this.items) item.outcome = undefined;
    this.heartbeats.send();
  }

  /** Why the last input is not done although nothing failed. */
  notYet(): string {
    return this.lastNotYet;
  }

  private open(): Item<Input, Value>[] {
    return this.items.filter(({ outcome }) => outcome === undefined);
  }

  private lost(): number {
    return this.given.context.info.attempt - 1 - this.ended;
  }

  private async work(queue: Item<Input, Value>[]): Promise<void> {
    while (!this.mustEnd()) {
      const item = queue.shift();
      if (item === undefined) return;
      if (item.outcome === undefined) await this.toOutcome(item);
    }
  }

  /** Whether nothing more may begin. */
  private mustEnd(): boolean {
    const isLate = Date.now() - this.beganAt > BEGIN_FOR_MS;
    return this.isStopping() || isLate || this.size.isFull();
  }

  private isStopping(): boolean {
    return this.signal.aborted || this.given.deps.drain.hasBegun();
  }

  private async toOutcome(item: Item<Input, Value>): Promise<void> {
    const giveUpAt = Date.now() + (this.given.step.retryForMs ?? 0);
    for (let pauseMs = FIRST_RETRY_MS; ; pauseMs *= 2) {
      const { settled } = this;
      const outcome = await this.attempt(item);
      this.running.delete(item);
      const pause = { pauseMs, giveUpAt, settled };
      if ('again' in outcome && (await this.waited(outcome.again, pause))) continue;
      this.settle(item, outcome);
      return;
    }
  }

  /** Waits until the input may be tried again in this group. False if it must not be. */
  private async waited(
    { failure, afterMs }: Again<Input>,
    { pauseMs, giveUpAt, settled }: Pause,
  ): Promise<boolean> {
    if (failure === undefined || this.given.step.once === true || this.isStopping()) return false;
    if (isCrowdedOut(failure) && (this.settled > settled || this.running.size > 0)) {
      if (this.settled === settled) await new Promise<void>((resolve) => this.onOutcome.push(resolve));
      return !this.mustEnd();
    }
    const delayMs = afterMs ?? pauseMs;
    if (Date.now() + delayMs > giveUpAt) return false;
    // The next line checks for the abort that ends the pause.
    await systemClock.sleep(delayMs, this.signal).catch(() => undefined);
    return !this.isStopping();
  }

  private async attempt(item: Item<Input, Value>): Promise<InputOutcome<Input, Value>> {
    const { step, context } = this.given;
    const mayHaveRun = item.tries > 0 || context.info.attempt > 1;
    let leave: (() => void) | undefined;
    try {
      leave = await step.admit?.(item.input, this.signal);
    } catch (error) {
      return this.outcomeOf(error, item);
    }
    if (this.isStopping()) {
      leave?.();
      return this.requeued(item);
    }
    item.tries += 1;
    this.running.add(item);
    this.heartbeats.note();
    try {
      return outcomeOfValue(step.name, await this.watched(item, mayHaveRun));
    } catch (error) {
      const outcome = this.outcomeOf<Value>(error, item);
      return step.once === true ? finalOutcome(outcome) : outcome;
    } finally {
      leave?.();
    }
  }

  private outcomeOf<V>(error: unknown, item: Item<Input, Value>): InputOutcome<Input, V> {
    const { tries } = item;
    const { step, deps, context } = this.given;
    if (this.signal.aborted)
      return outcomeOfAbort(context.cancellationDetails, { tries, afterMs: REQUEUE_MS });
    const judged = step.isFirstContact === true ? deps.knownHosts.judge(error, tries) : error;
    const outcome = outcomeOfError<Input, V>(judged, tries);
    if (error instanceof NotYet) this.lastNotYet = error.message;
    else this.log(error, item);
    return outcome;
  }

  private log(error: unknown, { input, tries }: Item<Input, Value>): void {
    const { step, context } = this.given;
    context.log.warn('Step failed', { step: step.name, ...step.factsOf(input), tries, error });
  }

  private watched(item: Item<Input, Value>, mayHaveRun: boolean): Promise<Value> {
    const { step, deps, group } = this.given;
    const facts = { accountId: group.accountId, ...step.factsOf(item.input) };
    return deps.watchStep({ step: step.name, attempt: item.tries, facts }, () =>
      step.run(item.input, {
        number: item.tries,
        mayHaveRun,
        signal: this.signal,
        replace: (input) => {
          item.input = input;
          this.heartbeats.send();
        },
      }),
    );
  }

  private settle(item: Item<Input, Value>, outcome: InputOutcome<Input, Value>): void {
    const mayRepeat = this.given.step.once !== true;
    const fitting = this.size.add(this.withInput(item, outcome), item.tries, mayRepeat);
    item.outcome = this.withInput(item, fitting);
    this.heartbeats.note();
    this.settled += 1;
    const waiting = this.onOutcome;
    this.onOutcome = [];
    for (const wake of waiting) wake();
  }

  /** An input that was replaced travels again in its new form. */
  private withInput(
    { index, input }: Item<Input, Value>,
    outcome: InputOutcome<Input, Value>,
  ): typeof outcome {
    if (!('again' in outcome) || input === this.given.group.inputs[index]?.input) return outcome;
    return { again: { ...outcome.again, input } };
  }

  /** Requeues an input that did not begin in this try of the group. */
  private requeue(item: Item<Input, Value>, alone = false): void {
    this.settle(item, this.requeued(item, alone));
  }

  private requeued({ tries }: Item<Input, Value>, alone = false): InputOutcome<Input, Value> {
    const again = { tries, afterMs: this.isStopping() ? REQUEUE_MS : 0, ...(alone ? { alone } : {}) };
    if (!this.signal.aborted) return { again };
    return outcomeOfAbort(this.given.context.cancellationDetails, again);
  }

  private details(): GroupHeartbeat<Input, Value> {
    const { transfer } = this.given.step;
    const { inputs } = this.given.group;
    return {
      outcomes: this.items.flatMap(({ index, outcome }) =>
        outcome === undefined ? [] : ([[index, outcome]] as const),
      ),
      tries: this.open().flatMap(({ index, tries }) => (tries > 0 ? ([[index, tries]] as const) : [])),
      inputs: this.items.flatMap(({ index, input }) =>
        input === inputs[index]?.input ? [] : ([[index, input]] as const),
      ),
      ended: this.ended,
      ...(transfer === undefined ? {} : { bytes: transfer.bytes() }),
    };
  }
}
