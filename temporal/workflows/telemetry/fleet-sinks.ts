import { proxySinks } from '@temporalio/workflow';
import type { BatchRows, FleetSinks } from '../../contract/telemetry';

/** Of the worker that runs this workflow. A replay calls none of them. */
export const fleetSinks = proxySinks<FleetSinks>();

/** Tells the worker's metrics how a batch stands. */
export function reportBatchRows(news: BatchRows): void {
  fleetSinks.fleet.batchRows(news);
}
