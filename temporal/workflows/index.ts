/** Entry of the workflow bundle: every workflow of this package. */
export { uploadMedia } from './upload-media';
