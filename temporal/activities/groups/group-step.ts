import type { TaskFacts } from '../../worker/telemetry/task-facts';

/** How long most steps are retried within their group, ms. */
export const STEP_RETRY_FOR_MS = 3_000;

/** What a group does with each of its inputs. */
export interface GroupStep<Input, Value> {
  /** The name in `UploadSteps`: for metrics, spans and logs. */
  readonly name: string;
  /** Number of inputs that run at once, unless the group says otherwise. */
  readonly concurrency: number;
  /** How long an input with a temporary failure is retried within its group, ms. Default 0. */
  readonly retryForMs?: number;
  /** True: a try that may have taken effect is never repeated. The input fails as ambiguous. */
  readonly once?: true;
  /**
   * True: an upload begins with this step. An unknown name of a host that never answered then ends the upload within a
   * minute.
   */
  readonly isFirstContact?: true;
  factsOf(input: Input): Omit<TaskFacts, 'accountId' | 'batchId'>;
  /**
   * Resolves when the input may begin, with a function to call when its try has ended. A rejection does not count as a
   * try.
   */
  admit?(input: Input, signal: AbortSignal): Promise<() => void>;
  /** Rejects with `NotYet` if nothing failed and the input must be tried again. */
  run(input: Input, attempt: Attempt<Input>): Promise<Value>;
  /** The transfer under way. Unset: the group counts as alive as long as its process is. */
  readonly transfer?: Transfer;
}

export interface Attempt<Input> {
  /** 1 = the first. */
  readonly number: number;
  /** Whether an earlier try may have taken effect. */
  readonly mayHaveRun: boolean;
  readonly signal: AbortSignal;
  /** Replaces the input from now on, even if this worker is lost. */
  replace(input: Input): void;
}

/** Bytes in transfer. */
export interface Transfer {
  /** Bytes that this group has sent so far. */
  bytes(): number;
  /** Whether anything moved since the last call, or nothing was due to move. */
  moved(): boolean;
}

/** The input is not done, but nothing failed. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  constructor(
    message: string,
    readonly afterMs: number,
  ) {
    super(message);
  }
}
