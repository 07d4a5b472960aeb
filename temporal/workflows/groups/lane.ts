import { MediaServiceError } from '../../../api/errors';
import type { StepFailure } from '../../../api/upload/upload-steps';
import type { Again, InputOutcome } from '../../contract/groups';
import type { CallRequest, GathererDriver, GroupEnd, GroupLimits, RunningGroup } from './gatherer';
import { backoffMs, roundedDue } from './retry-times';

/** Groups leave after this number of microtasks without a new call, so that all calls of one event leave together. */
const MICROTASKS = 30;

interface Call {
  /** In the order of the calls of this lane. */
  readonly number: number;
  readonly bytes: number;
  readonly owner: object;
  /** Epoch ms. */
  readonly deadline: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: MediaServiceError) => void;
  input: unknown;
  tries: number;
  /** Maximum size of the groups in which the input may run. */
  maxGroup: number;
  /** Earliest time to leave, epoch ms. */
  due: number;
  reason: StepFailure | undefined;
  abandoned: boolean;
}

interface Running {
  /** Its calls without an outcome, by their index. */
  readonly open: Map<number, Call>;
  /** Its share of the lane's concurrency. */
  readonly concurrency: number;
  readonly group: RunningGroup;
}

/** The calls of one kind for one task queue. See `Gatherer`. */
export class Lane {
  private readonly limits: GroupLimits;
  private called = 0;
  /** Calls that may leave now, ascending by number. */
  private waiting: Call[] = [];
  /** Calls that may leave later. */
  private later: Call[] = [];
  private readonly running = new Set<Running>();
  private timer: { readonly due: number; readonly cancel: () => void } | undefined;
  private leaving = false;
  /** Microtasks until groups leave. Each new call resets it. */
  private microtasks = 0;

  constructor(
    readonly kind: string,
    private readonly queue: string,
    private readonly driver: GathererDriver,
  ) {
    this.limits = driver.limitsOf(kind);
  }

  add({ input, bytes, owner, pause }: CallRequest<unknown>): Promise<unknown> {
    const now = this.driver.now();
    return new Promise((resolve, reject) => {
      this.called += 1;
      const call: Call = {
        ...{ number: this.called, input, bytes, owner, resolve, reject },
        deadline: now + this.limits.retryForMs,
        tries: 0,
        maxGroup: this.limits.maxInputs,
        due: now,
        reason: undefined,
        abandoned: false,
      };
      if (pause === undefined) this.waiting.push(call);
      else this.postpone(call, pause.ms, pause.reason);
      this.leaveSoon();
    });
  }

  abandon(owner: object): void {
    const [abandoned, waiting] = split(this.waiting, (call) => call.owner === owner);
    const [postponed, later] = split(this.later, (call) => call.owner === owner);
    this.waiting = waiting;
    this.later = later;
    for (const call of [...abandoned, ...postponed]) call.reject(cancelled());
    for (const { open, group } of this.running) {
      const calls = [...open.values()];
      const own = calls.filter((call) => call.owner === owner && !call.abandoned);
      for (const call of own) call.abandoned = true;
      if (own.length > 0 && calls.every((call) => call.abandoned)) group.cancel();
    }
    this.setTimer();
  }

  underWay(): unknown[] {
    return [...this.running].flatMap(({ open }) => [...open.values()].map(({ input }) => input));
  }

  /** Reasons of the calls that wait for their next try, the longest waiting first. */
  waitReasons(): StepFailure[] {
    return this.later.flatMap(({ reason }) => reason ?? []);
  }

  /** Lets groups leave after all calls of the same event have been added. */
  leaveSoon(): void {
    this.microtasks = MICROTASKS;
    if (this.leaving) return;
    this.leaving = true;
    void this.leaveAfterMicrotasks();
  }

  private async leaveAfterMicrotasks(): Promise<void> {
    for (; this.microtasks > 0; this.microtasks -= 1) await Promise.resolve();
    this.leaving = false;
    this.leave(this.driver.now());
  }

  private leave(now: number): void {
    const [due, later] = split(this.later, (call) => call.due <= now);
    this.later = later;
    this.waiting = [...due, ...this.waiting].sort((one, other) => one.number - other.number);
    while (this.waiting.length > 0 && this.driver.mayLeave(this.kind)) {
      const free = this.freeConcurrency();
      if (free <= 0 || this.running.size >= this.limits.maxGroups) break;
      this.depart(this.waiting.splice(0, this.nextGroup()), free);
    }
    this.setTimer();
    this.driver.onChange();
  }

  /** Number of calls in the next group. */
  private nextGroup(): number {
    let bytes = 0;
    let max = this.limits.maxInputs;
    let count = 0;
    for (const call of this.waiting) {
      max = Math.min(max, call.maxGroup);
      bytes += call.bytes;
      if (count > 0 && (count >= max || bytes > this.limits.maxBytes)) return count;
      count += 1;
    }
    return count;
  }

  private freeConcurrency(): number {
    const taken = [...this.running].reduce((sum, { concurrency }) => sum + concurrency, 0);
    return (this.limits.concurrency ?? Infinity) - taken;
  }

  /** A group takes all free concurrency, or leaves half of it to the next group. */
  private depart(calls: readonly Call[], free: number): void {
    const isLast = this.waiting.length === 0 || this.running.size + 1 >= this.limits.maxGroups;
    const concurrency = Math.min(calls.length, isLast ? free : Math.ceil(free / 2));
    const group = this.driver.send({
      kind: this.kind,
      queue: this.queue,
      inputs: calls.map(({ input, tries }) => ({ input, ...(tries === 0 ? {} : { tries }) })),
      ...(this.limits.concurrency === undefined ? {} : { concurrency }),
      deadline: Math.max(...calls.map(({ deadline }) => deadline)),
    });
    const running: Running = { open: new Map(calls.entries()), concurrency, group };
    this.running.add(running);
    void group.end.then((end) => {
      this.running.delete(running);
      for (const [index, call] of running.open) {
        const outcome = end.outcomes[index];
        if (outcome === undefined) this.settleRest(call, end, calls.length);
        else this.settle(call, outcome);
      }
      this.leaveSoon();
    });
  }

  private settle(call: Call, outcome: InputOutcome): void {
    if ('value' in outcome) call.resolve(outcome.value);
    else if (call.abandoned) call.reject(cancelled());
    else if ('failure' in outcome) call.reject(errorOf(outcome.failure));
    else this.travelAgain(call, outcome.again);
  }

  private settleRest(call: Call, { rest }: GroupEnd, calls: number): void {
    const failure = rest?.failure ?? NO_OUTCOME;
    const mayGoOn = !call.abandoned && this.driver.now() < call.deadline;
    if (mayGoOn && rest?.then === 'again') {
      this.travelAgain(call, { tries: call.tries + 1, failure });
    } else if (mayGoOn && rest?.then === 'divide' && calls > 1) {
      call.maxGroup = Math.ceil(calls / 2);
      this.travelAgain(call, { tries: call.tries + 1, afterMs: 0, failure });
    } else this.settle(call, { failure });
  }

  private travelAgain(call: Call, { tries, afterMs, failure, input, alone }: Again): void {
    call.tries = tries;
    if (input !== undefined) call.input = input;
    if (alone === true) call.maxGroup = 1;
    this.postpone(call, afterMs ?? backoffMs(tries, this.limits.maxBackoffMs), failure);
  }

  private postpone(call: Call, ms: number, reason: StepFailure | undefined): void {
    const now = this.driver.now();
    call.due = roundedDue(now, ms);
    call.reason = reason;
    if (call.due > call.deadline) call.reject(errorOf(reason ?? OUT_OF_TIME));
    else this.later.push(call);
  }

  /** One timer for the lane, for the call that is due first. */
  private setTimer(): void {
    const now = this.driver.now();
    const due = Math.min(...this.later.map((call) => call.due));
    if (this.leaving || this.timer?.due === due) return;
    this.timer?.cancel();
    this.timer = undefined;
    if (due === Infinity) return;
    const { over, cancel } = this.driver.startTimer(Math.max(1, due - now));
    const timer = { due, cancel };
    this.timer = timer;
    void over.then(() => {
      if (this.timer !== timer) return;
      this.timer = undefined;
      this.leave(Math.max(due, this.driver.now()));
    });
  }
}

const NO_OUTCOME: StepFailure = {
  code: 'Internal',
  message: 'The activity ended without an outcome for this input.',
  facts: { outcome: 'ambiguous' },
};

const OUT_OF_TIME: StepFailure = {
  code: 'Transport',
  message: 'The step was not done in its time.',
  facts: { outcome: 'ambiguous' },
};

function errorOf({ code, message, facts }: StepFailure): MediaServiceError {
  return new MediaServiceError(code, message, facts);
}

function cancelled(): MediaServiceError {
  return new MediaServiceError('Cancelled', 'The upload was cancelled.');
}

function split(calls: readonly Call[], matches: (call: Call) => boolean): [Call[], Call[]] {
  return [calls.filter(matches), calls.filter((call) => !matches(call))];
}
