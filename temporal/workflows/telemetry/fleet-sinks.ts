import { proxySinks } from '@temporalio/workflow';
import type { BatchRows, FleetSinks } from '../../contract/telemetry';

/** The sinks of the worker that runs this workflow. A replay does not call them. */
export const fleetSinks = proxySinks<FleetSinks>();

/** Reports a batch's progress to the worker's metrics. */
export function reportBatchRows(news: BatchRows): void {
  fleetSinks.fleet.batchRows(news);
}
