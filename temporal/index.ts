/**
 * `n8n-nodes-media-service/temporal`: uploads, batches and scheduled reports through Temporal, typed. Needs only
 * @temporalio/client.
 */
export type { BatchHandle, LiveBatch } from './client/batch/batch-handle';
export { defaultBatchId } from './client/batch/batch-id';
export { listBatches, readBatchListing } from './client/batch/list-batches';
export type { BatchListing, ListBatches } from './client/batch/list-batches';
export { openBatch } from './client/batch/open-batch';
export { readBatchInput } from './client/batch/read-batch';
export { retryFailedRows } from './client/batch/retry-failed';
export { startBatch } from './client/batch/start-batch';
export type { StartBatch } from './client/batch/start-batch';
export { connectTemporal } from './client/connect';
export type { TemporalConnection } from './client/connect';
export type { TemporalAddress, TlsText } from './contract/temporal-address';
export type { WaitReason } from './client/wait-reason';
export { listUploads } from './client/list-uploads';
export type { ListUploads, UploadListing } from './client/list-uploads';
export { openUpload } from './client/open-upload';
export { livingWorkers } from './client/living-workers';
export type { LivingWorker, WorkQueue } from './client/living-workers';
export { retryUpload } from './client/retry-upload';
export type { RetriedUpload } from './client/retry-upload';
export { startUpload } from './client/start-upload';
export type { StartUpload } from './client/start-upload';
export { requireWorkers, unservedQueues } from './client/unserved-queues';
export type { UnservedQueue } from './client/unserved-queues';
export type { LiveProgress, UploadHandle } from './client/upload-handle';
export { readUploadState } from './client/upload-state';
export type { UploadState } from './client/upload-state';
export { batchNeed, uploadNeed } from './client/worker-need';
export type { HostNeed, WorkerNeed } from './client/worker-need';
export * from './contract/upload';
export * from './contract/batch';
export type { FailureReportResult, ReportScope, TargetResult } from './contract/failure-report';
export { createSchedule } from './schedules/create-schedule';
export type { CreatedSchedule, CreateSchedule } from './schedules/create-schedule';
export { describeSchedule } from './schedules/describe-schedule';
export type { ScheduleListing, ScheduleName, ScheduleView } from './schedules/describe-schedule';
export { listSchedules } from './schedules/list-schedules';
export type { ScheduleRequest } from './schedules/report-schedule';
export { showSchedule } from './schedules/show-schedule';
export type { LastRun, ShownSchedule } from './schedules/show-schedule';
export { runSchedule } from './schedules/run-report';
export type { ReportRunHandle } from './schedules/run-report';
export { deleteSchedule } from './schedules/delete-schedule';
