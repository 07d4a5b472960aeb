import type { StepFailure } from '../../api/upload/upload-steps';
import { shareFields } from './shared-fields';

/** The input of one activity: many inputs of one kind. The activity returns a `GroupResult`. */
export interface Group<Input> {
  readonly accountId: string;
  /** Each input without the fields in `shared`. */
  readonly inputs: readonly GroupedInput<Input>[];
  /** Fields with the same value in every input, so that a history contains them once. Unset: none. */
  readonly shared?: Partial<Input>;
  /** Inputs that run at once. Unset: as many as the activity allows. */
  readonly concurrency?: number;
}

/** Takes the shared fields out of the inputs of a group. `inputsOf` puts them back. */
export function sharing<Input>(
  inputs: readonly GroupedInput<Input>[],
): Pick<Group<Input>, 'inputs' | 'shared'> {
  const fields: readonly unknown[] = inputs.map(({ input }) => input);
  if (!fields.every(isFields)) return { inputs };
  const { items, shared } = shareFields(fields);
  if (shared === undefined) return { inputs };
  return {
    inputs: inputs.map((one, index) => ({ ...one, input: items[index] as Input })),
    shared,
  };
}

/** The whole inputs of a group. */
export function inputsOf<Input>({ inputs, shared }: Group<Input>): readonly GroupedInput<Input>[] {
  if (shared === undefined) return inputs;
  return inputs.map((one) => ({ ...one, input: { ...shared, ...one.input } }));
}

function isFields(input: unknown): input is object {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}

export interface GroupedInput<Input> {
  readonly input: Input;
  /** Tries before this group. Unset: none. */
  readonly tries?: number;
}

/** An outcome for each input, in the order of the inputs. */
export type GroupResult<Input = unknown, Value = unknown> = readonly InputOutcome<Input, Value>[];

/** The outcome of one input of a group. */
export type InputOutcome<Input = unknown, Value = unknown> =
  { readonly value: Value } | { readonly failure: StepFailure } | { readonly again: Again<Input> };

/** The input must be tried again in a later group. */
export interface Again<Input = unknown> {
  /** All tries so far. */
  readonly tries: number;
  /** Unset: the backoff for `tries`. */
  readonly afterMs?: number;
  /** Why the input must be tried again. Unset: nothing failed. */
  readonly failure?: StepFailure;
  /** Replaces the input, for example with a fresh URL in it. */
  readonly input?: Input;
  /** True: the input may have crashed its workers, so it runs in its own group from now on. */
  readonly alone?: true;
}

/** Heartbeat details of a group: what the next try must not repeat. `index` identifies the input. */
export interface GroupHeartbeat<Input = unknown, Value = unknown> {
  readonly outcomes: readonly (readonly [index: number, outcome: InputOutcome<Input, Value>])[];
  /** Tries of inputs that have begun but have no outcome. */
  readonly tries: readonly (readonly [index: number, tries: number])[];
  readonly inputs: readonly (readonly [index: number, input: Input])[];
  /** Tries of the group that ended normally. All other tries lost their worker. */
  readonly ended: number;
  /** Bytes of parts that this group sent, as far as that is known. */
  readonly bytes?: number;
}

/** Reads the details of a heartbeat. Undefined if they are something else. */
export function groupHeartbeatOf(details: unknown): GroupHeartbeat | undefined {
  return isGroupHeartbeat(details) ? details : undefined;
}

function isGroupHeartbeat(details: unknown): details is GroupHeartbeat {
  return typeof details === 'object' && details !== null && 'outcomes' in details && 'tries' in details;
}
