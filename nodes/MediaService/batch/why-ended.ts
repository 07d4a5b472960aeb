import type { BatchListing } from '../../../temporal/batch/client/list-batches';
import { openBatch } from '../../../temporal/batch/client/open-batch';
import type { TemporalConnection } from '../../../temporal/client/connect';
import { describeError } from '../../../n8n/error-words';

interface WhyEnded {
  readonly error?: string;
  /** What to do. */
  readonly hint?: string;
}

/** Why an ended batch did not complete, which lists do not show. Empty for a completed batch. */
export async function whyEnded(
  connection: TemporalConnection,
  { workflowId, runId, status }: BatchListing,
  signal: AbortSignal | undefined,
): Promise<WhyEnded> {
  if (status === 'COMPLETED') return {};
  try {
    await openBatch(connection, workflowId, { runId }).result(signal);
    return {};
  } catch (error) {
    signal?.throwIfAborted();
    const { message, description } = describeError(error);
    return { error: message, ...(description === undefined ? {} : { hint: description }) };
  }
}
