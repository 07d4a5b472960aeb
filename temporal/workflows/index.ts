/** Entry of the workflow bundle: every workflow of this package. */
export { failureReport } from './failure-report';
export { uploadBatch } from './upload-batch';
export { uploadBatchPage } from './upload-batch-page';
export { identifySource } from '../upload/workflow';
export { uploadMedia } from '../upload/workflow';
