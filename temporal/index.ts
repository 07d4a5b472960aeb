/** `n8n-nodes-media-service/temporal`: uploads through Temporal, typed. Needs @temporalio/client alone. */
export { connectTemporal } from './client/connect';
export type { TemporalAddress, TemporalConnection, TlsText } from './client/connect';
export { listUploads } from './client/list-uploads';
export type { ListUploads, UploadListing } from './client/list-uploads';
export { openUpload } from './client/open-upload';
export { pollersOf, requireWorker } from './client/pollers';
export type { Poller, WorkerNeed } from './client/pollers';
export { startUpload } from './client/start-upload';
export type { StartUpload } from './client/start-upload';
export type { LiveProgress, UploadHandle } from './client/upload-handle';
export * from './contract';
