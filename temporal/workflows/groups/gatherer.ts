import type { StepFailure } from '../../../api/upload/upload-steps';
import type { EarlyOutcomes, GroupedInput, GroupResult } from '../../contract/groups';
import { Lane } from './lane';

/** How calls of one kind are grouped. */
export interface GroupLimits {
  /** Groups of a lane that are under way at once. */
  readonly maxGroups: number;
  /** The same of all groups, of which those that are full, or sent outcomes early, may be more. Default `maxGroups`. */
  readonly maxFullGroups?: number;
  readonly maxInputs: number;
  /** An input that is larger travels alone. */
  readonly maxBytes: number;
  /** Inputs of a lane that run at once, over all its groups. Unset: the activity decides. */
  readonly concurrency?: number;
  /** How long after its call an input may travel again, ms. */
  readonly retryForMs: number;
  /** Of the pauses between its tries, ms. */
  readonly maxBackoffMs: number;
}

/** What a gatherer needs of the world: in Temporal activities and timers, in tests a model of them. */
export interface GathererDriver {
  /** Epoch ms. */
  now(): number;
  limitsOf(kind: string): GroupLimits;
  send(departure: Departure): RunningGroup;
  /** `over` never settles once `cancel` was called. */
  startTimer(ms: number): { readonly over: Promise<void>; readonly cancel: () => void };
  /** False: groups of this kind must not leave now. `Gatherer.resume` says that this may have changed. */
  mayLeave(kind: string): boolean;
  /** Groups may have left or ended, or calls wait. */
  onChange(): void;
}

export interface Departure {
  readonly kind: string;
  readonly queue: string;
  readonly inputs: readonly GroupedInput<unknown>[];
  readonly concurrency?: number;
  /** When the last of its inputs may be tried no more, epoch ms. */
  readonly deadline: number;
}

export interface RunningGroup {
  /** Set: outcomes may come early, under this number. */
  readonly number?: number;
  /** Never rejects. */
  readonly end: Promise<GroupEnd>;
  readonly cancel: () => void;
}

export interface GroupEnd {
  /** In the order of the inputs; missing: it came early, or is not known. */
  readonly outcomes: readonly (GroupResult[number] | undefined)[];
  /** What happens to inputs without an outcome, and why: they fail, travel again, or travel in smaller groups. */
  readonly rest?: { readonly then: 'fail' | 'again' | 'divide'; readonly failure: StepFailure };
}

/** One input on its way to its outcome. */
export interface CallRequest<Input> {
  readonly queue: string;
  readonly input: Input;
  /** What counts against `maxBytes`. */
  readonly bytes: number;
  /** Who may abandon it. */
  readonly owner: object;
  /** Its group leaves no sooner than that, ms, because of `reason`. */
  readonly pause?: { readonly ms: number; readonly reason: StepFailure };
}

export interface Waiting {
  readonly reason: StepFailure;
  readonly calls: number;
}

/** Kinds of groups: what goes in, and what comes out. */
export type GroupKinds<Kinds> = {
  readonly [Kind in keyof Kinds]: { readonly input: unknown; readonly value: unknown };
};

/**
 * Gathers calls of a kind into groups, one activity each. There is a lane for each kind and task queue. A call leaves at once while fewer than
 * `maxGroups` groups of its lane are under way, together with the calls of the same turn; else it waits and leaves with the others that
 * wait, first come, first served. What must be tried again joins a later group; each lane waits with one timer.
 *
 * Every call gets exactly one outcome: its value, or a `MediaServiceError`. Pure and deterministic: on replay the same groups leave in the same
 * order.
 */
export class Gatherer<Kinds extends GroupKinds<Kinds>> {
  private readonly lanes = new Map<string, Lane>();

  constructor(private readonly driver: GathererDriver) {}

  /** Resolves with the input's value; rejects with a `MediaServiceError`, `Cancelled` if its owner abandoned it. */
  async call<Kind extends keyof Kinds & string>(
    kind: Kind,
    request: CallRequest<Kinds[Kind]['input']>,
  ): Promise<Kinds[Kind]['value']> {
    return await this.laneOf(kind, request.queue).add(request);
  }

  /**
   * The owner's calls end with `Cancelled`: those that wait at once, those of a group under way with their group, unless they have a value. A group
   * whose calls are all abandoned is cancelled.
   */
  abandon(owner: object): void {
    for (const lane of this.lanes.values()) lane.abandon(owner);
  }

  /** Outcomes that came ahead of their group. Such a group no longer counts as one of `maxGroups`: only its slowest inputs are left. */
  early({ number, outcomes }: EarlyOutcomes): void {
    for (const lane of this.lanes.values()) lane.early(number, outcomes);
  }

  /** Groups that were held back may leave. */
  resume(): void {
    for (const lane of this.lanes.values()) lane.leaveSoon();
  }

  /** Inputs of a kind that are in groups under way. */
  underWay<Kind extends keyof Kinds & string>(kind: Kind): Kinds[Kind]['input'][] {
    return [...this.lanes.values()].filter((lane) => lane.kind === kind).flatMap((lane) => lane.underWay());
  }

  /** Why the call that waits longest for its next try waits, and how many calls wait for the same reason; undefined if none does. */
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
