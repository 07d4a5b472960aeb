import { proxySinks } from '@temporalio/workflow';
import { UPLOAD_WORKFLOW } from '../../contract/upload';
import type { BatchRows, FleetSinks, WorkflowEnded } from '../../contract/telemetry';

/** The sinks of the worker that runs this workflow. A replay does not call them. */
export const fleetSinks = proxySinks<FleetSinks>();

/** Reports a batch's progress to the worker's metrics. */
export function reportBatchRows(news: BatchRows): void {
  fleetSinks.fleet.batchRows(news);
}

/** Counts an upload without its own workflow. `code`: error code. Unset: the upload is completed. */
export function reportUploadEnd({
  code,
  ...upload
}: Pick<WorkflowEnded, 'accountId' | 'startedAt' | 'endedAt'> & { readonly code?: string }): void {
  const outcome = code === 'Cancelled' ? 'cancelled' : 'failed';
  fleetSinks.fleet.ended({
    workflowType: UPLOAD_WORKFLOW,
    ...upload,
    ...(code === undefined ? { outcome: 'completed' } : { outcome, code }),
  });
}
