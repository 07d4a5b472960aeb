import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import { MediaServiceError } from '../../api/errors';
import type { ErrorFacts } from '../../api/errors';
import { systemClock } from '../../api/clock';
import type { TemporalConnection } from './connect';
import { errorOfFailure } from '../failure';
import { errorOfRpc, isUnreachable } from './rpc-failure';

/** How long a wait for the result tolerates a server that does not answer. */
const UNREACHABLE_LIMIT_MS = 5 * 60_000;
const RECONNECT_PAUSE_MS = 2_000;
/**
 * The SDK adds a listener to its signal with each request, three a minute. A new signal from time to time limits their
 * number.
 */
const ROUND_MS = 2 * 60_000;
/** After a wait of this length, the server had answered. */
const ANSWERED_MS = 60_000;

export interface ResultWait {
  /** Ends the wait; the workflow continues. */
  readonly signal?: AbortSignal | undefined;
  /** Reads how the workflow was cancelled from its memo, because Temporal's own cancellation carries no message. */
  readonly cancelled?: ((workflow: WorkflowExecutionDescription) => Cancelled) | undefined;
  /** How long one signal is used, ms. Default 2 minutes. */
  readonly roundMs?: number;
}

type Cancelled = Pick<ErrorFacts, 'hint' | 'details'> & { readonly message?: string };

/**
 * Waits for a workflow's end, through restarts of Temporal of up to five minutes. Rejects with the workflow's own
 * `MediaServiceError`, or with the signal's reason when it aborts.
 */
export async function workflowResult<Result>(
  connection: Pick<TemporalConnection, 'address' | 'namespace' | 'connection'>,
  handle: Pick<WorkflowHandle, 'workflowId' | 'result' | 'describe'>,
  { signal, cancelled, roundMs = ROUND_MS }: ResultWait,
): Promise<Result> {
  const wait = (): Promise<Result> => handle.result();
  let giveUpAt: number | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const askedAt = systemClock.now();
    const round = AbortSignal.timeout(roundMs);
    const ending = AbortSignal.any(signal === undefined ? [round] : [signal, round]);
    try {
      return await connection.connection.withAbortSignal(ending, wait);
    } catch (error) {
      signal?.throwIfAborted();
      if (isWorkflowFailure(error)) {
        const failure = errorOfFailure(error);
        if (failure.code !== 'Cancelled' || cancelled === undefined) throw failure;
        const { message = failure.message, ...facts } = cancelled(await handle.describe());
        throw new MediaServiceError('Cancelled', message, facts, { cause: error });
      }
      if (round.aborted) {
        giveUpAt = undefined;
        continue;
      }
      const now = systemClock.now();
      if (giveUpAt === undefined || now - askedAt > ANSWERED_MS) giveUpAt = now + UNREACHABLE_LIMIT_MS;
      if (!isUnreachable(error) || now > giveUpAt) throw errorOfRpc(connection, handle.workflowId, error);
      await systemClock.sleep(RECONNECT_PAUSE_MS, signal);
    }
  }
}

function isWorkflowFailure(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowFailedError';
}
