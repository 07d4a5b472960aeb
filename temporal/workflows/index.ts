/** Entry of the workflow bundle: every workflow of this package. */
export { failureReport } from './failure-report';
export { identifySource } from './identify-source';
export { uploadBatch } from './upload-batch';
export { uploadBatchPage } from './upload-batch-page';
export { uploadMedia } from '../upload/workflow';
