import type { StepFailure } from '../../../api/upload/upload-steps';
import type { GroupedInput, GroupResult } from '../../contract/groups';
import { Lane } from './lane';

/** Limits for groups of one kind. */
export interface GroupLimits {
  /** Groups of a lane that run at once. */
  readonly maxGroups: number;
  readonly maxInputs: number;
  /** A larger input gets its own group. */
  readonly maxBytes: number;
  /** Inputs of a lane that run at once, over all its groups. Unset: the activity decides. */
  readonly concurrency?: number;
  /** How long after its call an input may be tried again, ms. */
  readonly retryForMs: number;
  /** Maximum pause between two tries, ms. */
  readonly maxBackoffMs: number;
}

/** What a gatherer needs from outside. In Temporal these are activities and timers, in tests a model of them. */
export interface GathererDriver {
  /** Epoch ms. */
  now(): number;
  limitsOf(kind: string): GroupLimits;
  send(departure: Departure): RunningGroup;
  /** After `cancel`, `over` never settles. */
  startTimer(ms: number): { readonly over: Promise<void>; readonly cancel: () => void };
  /** False: groups of this kind must not leave now. `Gatherer.resume` reports that this may have changed. */
  mayLeave(kind: string): boolean;
  /** Called when groups may have left or ended, or calls may wait. */
  onChange(): void;
}

export interface Departure {
  readonly kind: string;
  readonly queue: string;
  readonly inputs: readonly GroupedInput<unknown>[];
  readonly concurrency?: number;
  /** After this time, none of its inputs may be tried again, epoch ms. */
  readonly deadline: number;
}

export interface RunningGroup {
  /** Never rejects. */
  readonly end: Promise<GroupEnd>;
  readonly cancel: () => void;
}

export interface GroupEnd {
  /** In the order of the inputs. Undefined: it is unknown. */
  readonly outcomes: readonly (GroupResult[number] | undefined)[];
  /**
   * What happens to inputs without an outcome, and why: they fail, are tried again, or are tried again in smaller
   * groups.
   */
  readonly rest?: { readonly then: 'fail' | 'again' | 'divide'; readonly failure: StepFailure };
}

/** One input that needs an outcome. */
export interface CallRequest<Input> {
  readonly queue: string;
  readonly input: Input;
  /** Bytes that count against `maxBytes`. */
  readonly bytes: number;
  /** The owner that can abandon the call. */
  readonly owner: object;
  /** Its group leaves no earlier than after this time, ms, because of `reason`. */
  readonly pause?: { readonly ms: number; readonly reason: StepFailure };
}

interface Waiting {
  readonly reason: StepFailure;
  readonly calls: number;
}

/** Kinds of groups, with the types of their inputs and values. */
type GroupKinds<Kinds> = {
  readonly [Kind in keyof Kinds]: { readonly input: unknown; readonly value: unknown };
};

/**
 * Gathers calls of a kind into groups, one activity each. Each kind and task queue has a lane. A call leaves at once
 * if fewer than `maxGroups` groups of its lane run, together with the other calls of the same event. Otherwise it
 * waits and leaves with other waiting calls, first come, first served. Inputs that must be tried again join a later
 * group. Each lane waits with one timer.
 *
 * Every call gets exactly one outcome: its value, or a `MediaServiceError`. Pure and deterministic: on replay, the
 * same groups leave in the same order.
 */
export class Gatherer<Kinds extends GroupKinds<Kinds>> {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly driver: GathererDriver) {}

  /** Resolves with the input's value. Rejects with a `MediaServiceError`: `Cancelled` if its owner abandoned it. */
  async call<Kind extends keyof Kinds & string>(
    kind: Kind,
    request: CallRequest<Kinds[Kind]['input']>,
  ): Promise<Kinds[Kind]['value']> {
    return await this.laneOf(kind, request.queue).add(request);
  }

  /**
   * Ends the owner's calls with `Cancelled`. Waiting calls end at once. Calls of a running group end with their group,
   * unless they have a value. A group is cancelled if all its calls are abandoned.
   */
  abandon(owner: object): void {
    for (const lane of this.lanes.values()) lane.abandon(owner);
  }

  /** Lets groups leave that waited. */
  resume(): void {
    for (const lane of this.lanes.values()) lane.leaveSoon();
  }

  /** Inputs of a kind in running groups. */
  underWay<Kind extends keyof Kinds & string>(kind: Kind): Kinds[Kind]['input'][] {
    return [...this.lanes.values()].filter((lane) => lane.kind === kind).flatMap((lane) => lane.underWay());
  }

  /**
   * Why the longest waiting call waits for its next try, and how many calls wait for the same reason. Undefined if
   * none waits.
   */
  waiting(): Waiting | undefined {
    const calls = [...this.lanes.values()].flatMap((lane) => lane.waitReasons());
    const [reason] = calls;
    if (reason === undefined) return undefined;
    return { reason, calls: calls.filter(({ code }) => code === reason.code).length };
  }

  private laneOf(kind: string, queue: string): Lane {
    const name = JSON.stringify([kind, queue]);
    const lane = this.lanes.get(name) ?? new Lane(kind, queue, this.driver);
    this.lanes.set(name, lane);
    return lane;
  }
}
