/** Entry of the workflow bundle: every workflow of this package. */
export { failureReport } from '../reports/workflow';
export { uploadBatch } from '../batch/workflow/upload-batch';
export { uploadBatchPage } from '../batch/workflow/upload-batch-page';
export { uploadMedia } from '../upload/workflow';
export { awaitEnds } from '../waits/workflow';
