/**
 * `media-service/temporal`: uploads, batches and scheduled reports through Temporal, typed.
 */
export { defaultBatchId } from './batch/client/batch-input';
export type { StartBatch } from './batch/client/batch-input';
export { listBatches, readBatchListing } from './batch/client/list-batches';
export type { BatchListing } from './batch/client/list-batches';
export type { LiveBatch } from './batch/client/live-batch';
export { openBatch, readBatchInput } from './batch/client/open-batch';
export type { BatchHandle } from './batch/client/open-batch';
export { retryFailedRows, startBatch } from './batch/client/start-batch';
export * from './batch/types';
export { connectTemporal } from './client/connect';
export type { TemporalConnection } from './client/connect';
export { batchNeed, livingWorkers, uploadNeed } from './client/living-workers';
export type { LivingWorker, WorkerNeed } from './client/living-workers';
export type { TemporalAddress } from './client/temporal-network';
export { unservedQueues } from './client/unserved-queues';
export type { UnservedQueue } from './client/unserved-queues';
export type { WaitReason } from './client/wait-reason';
export { createSchedule } from './reports/client/create-schedule';
export type { CreateSchedule } from './reports/client/create-schedule';
export { deleteSchedule, describeSchedule, listSchedules } from './reports/client/describe-schedule';
export type { ScheduleName, ScheduleView } from './reports/client/describe-schedule';
export type { ScheduleRequest } from './reports/client/report-schedule';
export { runSchedule, showSchedule } from './reports/client/run-report';
export type { LastRun, ReportRunHandle, ShownSchedule } from './reports/client/run-report';
export type { FailureReportResult, ReportScope, TargetResult } from './reports/types';
export { listUploads } from './upload/client/list-uploads';
export type { ListUploads, UploadListing } from './upload/client/list-uploads';
export { openUpload } from './upload/client/open-upload';
export type { LiveProgress, UploadHandle } from './upload/client/open-upload';
export { retryUpload } from './upload/client/retry-upload';
export type { RetriedUpload } from './upload/client/retry-upload';
export { startUpload } from './upload/client/start-upload';
export type { StartUpload } from './upload/client/start-upload';
export * from './upload/types';
