/** `media-service/temporal/worker`: for workers of your own. Needs @temporalio/worker. */
export { createActivities, createWorker } from './create-worker';
export type { WorkerActivities, WorkerParts } from './create-worker';
export { workerIdentity } from '../worker-identity';
export { runWorker } from './run-worker';
export type { WorkerControl } from './run-worker';
export type { ServedAccount } from '../../api/account';
export type { LogLevel, WorkerConfig, WorkerSlots } from './worker-config';
