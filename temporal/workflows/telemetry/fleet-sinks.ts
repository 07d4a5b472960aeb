import { proxySinks } from '@temporalio/workflow';
import { UPLOAD_WORKFLOW } from '../../contract';
import type { BatchRows, FleetSinks, WorkflowEnded } from '../../contract/telemetry';

/** Of the worker that runs this workflow. A replay calls none of them. */
export const fleetSinks = proxySinks<FleetSinks>();

/** Tells the worker's metrics how a batch stands. */
export function reportBatchRows(news: BatchRows): void {
  fleetSinks.fleet.batchRows(news);
}

/** Counts an upload that has no workflow of its own. `code`: of the error; unset: it is completed. */
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
