/**
 * `media-service/temporal`: uploads, batches and scheduled reports through Temporal, typed. Needs only
 * @temporalio/client.
 */
export type { LiveBatch } from './batch/client/live-batch';
export type { BatchHandle } from './batch/client/open-batch';
export { defaultBatchId } from './batch/client/batch-input';
export { listBatches, readBatchListing } from './batch/client/list-batches';
export type { BatchListing } from './batch/client/list-batches';
export { openBatch } from './batch/client/open-batch';
export { readBatchInput } from './batch/client/open-batch';
export { retryFailedRows } from './batch/client/start-batch';
export { startBatch } from './batch/client/start-batch';
export type { StartBatch } from './batch/client/batch-input';
export { connectTemporal } from './client/connect';
export type { TemporalConnection } from './client/connect';
export type { TemporalAddress } from './client/temporal-network';
export type { WaitReason } from './client/wait-reason';
export { listUploads } from './upload/client/list-uploads';
export type { ListUploads, UploadListing } from './upload/client/list-uploads';
export { openUpload } from './upload/client/open-upload';
export { livingWorkers } from './client/living-workers';
export type { LivingWorker, WorkQueue } from './client/living-workers';
export { retryUpload } from './upload/client/retry-upload';
export type { RetriedUpload } from './upload/client/retry-upload';
export { startUpload } from './upload/client/start-upload';
export type { StartUpload } from './upload/client/start-upload';
export { unservedQueues } from './client/unserved-queues';
export type { UnservedQueue } from './client/unserved-queues';
export type { LiveProgress, UploadHandle } from './upload/client/open-upload';
export { batchNeed, uploadNeed } from './client/living-workers';
export type { WorkerNeed } from './client/living-workers';
export * from './upload/types';
export * from './batch/types';
export type { FailureReportResult, ReportScope, TargetResult } from './reports/types';
export { createSchedule } from './reports/client/create-schedule';
export type { CreateSchedule } from './reports/client/create-schedule';
export { describeSchedule } from './reports/client/describe-schedule';
export type { ScheduleName, ScheduleView } from './reports/client/describe-schedule';
export { listSchedules } from './reports/client/describe-schedule';
export type { ScheduleRequest } from './reports/client/report-schedule';
export { showSchedule } from './reports/client/run-report';
export type { LastRun, ShownSchedule } from './reports/client/run-report';
export { runSchedule } from './reports/client/run-report';
export type { ReportRunHandle } from './reports/client/run-report';
export { deleteSchedule } from './reports/client/describe-schedule';
