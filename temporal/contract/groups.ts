import type { StepFailure } from '../../api/upload/upload-steps';

/** What one activity takes: many inputs of one kind. It answers with an `Outcome` for each, in their order. */
export interface Group<Input> {
  readonly accountId: string;
  readonly inputs: readonly GroupedInput<Input>[];
  /** Inputs that run at once. Unset: as many as the activity allows. */
  readonly concurrency?: number;
  /** Set: outcomes may be sent ahead of the group, under this number. */
  readonly number?: number;
  /** How long Temporal repeats a group in which nothing moves, ms; after that its inputs come back. Unset: until its deadline. */
  readonly holdMs?: number;
}

/** Signal of an activity to its workflow, `EarlyOutcomes`: inputs that have ended need not wait for the slowest one of their group. */
export const EARLY_OUTCOMES_SIGNAL = 'earlyOutcomes';

export interface EarlyOutcomes {
  /** Of the group. */
  readonly number: number;
  readonly outcomes: readonly (readonly [index: number, outcome: Outcome])[];
}

export interface GroupedInput<Input> {
  readonly input: Input;
  /** Tries before this group. Unset: none. */
  readonly tries?: number;
}

/** What became of one input of a group. */
export type Outcome<Input = unknown, Value = unknown> =
  { readonly value: Value } | { readonly failure: StepFailure } | { readonly again: Again<Input> };

/** The input must travel again in a later group. */
export interface Again<Input = unknown> {
  /** All tries so far. */
  readonly tries: number;
  /** Unset: by the backoff that follows from `tries`. */
  readonly afterMs?: number;
  /** Why. Unset: nothing failed. */
  readonly failure?: StepFailure;
  /** What takes the input's place; a fresh URL stands in it, say. */
  readonly input?: Input;
  /** True: it may have crashed its workers, so it travels alone from now on. */
  readonly alone?: true;
}

/** Heartbeat details of a group: what the next try must not do again. Inputs are named by their index. */
export interface GroupHeartbeat<Input = unknown, Value = unknown> {
  readonly outcomes: readonly (readonly [index: number, outcome: Outcome<Input, Value>])[];
  /** Tries of inputs that have begun and have no outcome. */
  readonly tries: readonly (readonly [index: number, tries: number])[];
  readonly inputs: readonly (readonly [index: number, input: Input])[];
  /** Tries of the group that ended by themselves: the others lost their worker. */
  readonly ended: number;
  /** Bytes of parts that were sent in this group, as far as that is known. */
  readonly bytes?: number;
}

/** Reads what a heartbeat carried; undefined if it is something else. */
export function groupHeartbeatOf(details: unknown): GroupHeartbeat | undefined {
  return isGroupHeartbeat(details) ? details : undefined;
}

function isGroupHeartbeat(details: unknown): details is GroupHeartbeat {
  return typeof details === 'object' && details !== null && 'outcomes' in details && 'tries' in details;
}
