import type { StepFailure } from '../../api/upload/upload-steps';

/** What one activity takes: many inputs of one kind. It answers with a `GroupResult`. */
export interface Group<Input> {
  readonly accountId: string;
  /** Without the fields that stand in `shared`. */
  readonly inputs: readonly GroupedInput<Input>[];
  /** Fields of which every input has the same value: a history holds them once. Unset: none. */
  readonly shared?: Partial<Input>;
  /** Inputs that run at once. Unset: as many as the activity allows. */
  readonly concurrency?: number;
  /** Set: outcomes may be sent ahead of the group, under this number. */
  readonly number?: number;
  /** How long Temporal repeats a group in which nothing moves, ms; after that its inputs come back. Unset: until its deadline. */
  readonly holdMs?: number;
}

/** The inputs of a group with what they share taken out of them. `inputsOf` puts it back. */
export function sharing<Input>(
  inputs: readonly GroupedInput<Input>[],
): Pick<Group<Input>, 'inputs' | 'shared'> {
  const fields: readonly unknown[] = inputs.map(({ input }) => input);
  const [first] = fields;
  if (fields.length < 2 || !fields.every(isFields) || !isFields(first)) return { inputs };
  const isShared = ([name]: [string, unknown]): boolean =>
    fields.every((input) => input[name] === first[name]);
  const own = (input: Fields): Fields =>
    Object.fromEntries(Object.entries(input).filter((field) => !isShared(field)));
  return {
    inputs: inputs.map((one, index) => ({ ...one, input: own(fields[index] ?? {}) as Input })),
    shared: Object.fromEntries(Object.entries(first).filter(isShared)) as Partial<Input>,
  };
}

/** The whole inputs of a group. */
export function inputsOf<Input>({ inputs, shared }: Group<Input>): readonly GroupedInput<Input>[] {
  if (shared === undefined) return inputs;
  return inputs.map((one) => ({ ...one, input: { ...shared, ...one.input } }));
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(input: unknown): input is Fields {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
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

/** An outcome for each input, in their order; null: it was sent early. */
export type GroupResult<Input = unknown, Value = unknown> = readonly (Outcome<Input, Value> | null)[];

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
