import type { TaskFacts } from '../../worker/telemetry/task-facts';

/** What a group does with each of its inputs. */
export interface GroupStep<Input, Value> {
  /** As `UploadSteps` names it: for metrics, spans and logs. */
  readonly name: string;
  /** Inputs that run at once, unless the group says otherwise. */
  readonly concurrency: number;
  /** How long an input that fails in a way that may pass is tried again within its group, ms. Default 0. */
  readonly retryForMs?: number;
  /** True: what may have been done is never repeated; the input fails as ambiguous. */
  readonly once?: true;
  factsOf(input: Input): Omit<TaskFacts, 'accountId' | 'batchId'>;
  /** Resolves when the input may begin; what it returns is called when its try has ended. A rejection is no try. */
  admit?(input: Input, signal: AbortSignal): Promise<() => void>;
  /** Rejects with `NotYet` if nothing failed and the input must be tried again. */
  run(input: Input, attempt: Attempt<Input>): Promise<Value>;
  /** What is under way; unset: the group is alive as long as its process is. */
  readonly transfer?: Transfer;
}

export interface Attempt<Input> {
  /** 1 = the first. */
  readonly number: number;
  /** An earlier try may have done it. */
  readonly mayHaveRun: boolean;
  readonly signal: AbortSignal;
  /** From now on, over the loss of this worker too, this takes the input's place. */
  replace(input: Input): void;
}

/** Bytes on their way. */
export interface Transfer {
  /** Bytes that this group has sent so far. */
  bytes(): number;
  /** Whether anything moved since the last call, or nothing had to. */
  moved(): boolean;
}

/** Nothing failed, and it is not done. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message);
  }
}
