import { temporalIsChosen } from '../access/temporal-access';
import type { Operation } from '../operation';
import { INGEST_KEY } from './fields/ingest-key';
import { MEDIA_PARAMETERS } from './fields/media-parameters';
import { SOURCE_PARAMETERS } from './fields/source-parameters';
import { uploadByTemporal } from './by-temporal/upload-by-temporal';
import { uploadInN8n } from './in-n8n/upload-in-n8n';
import { UPLOAD_OPTIONS } from './fields/upload-options';

/**
 * Upload > Upload: one file, by a Temporal worker where a "Temporal API" credential is chosen, else inside n8n. A chosen Temporal that does
 * not answer is an error, never a silent upload inside n8n.
 */
export const upload: Operation = {
  option: {
    name: 'Upload',
    value: 'upload',
    description: 'Upload a file: through a Temporal worker, which survives restarts, or inside n8n',
    action: 'Upload a file',
  },
  parameters: [
    {
      displayName:
        'With a "Temporal API" credential a worker uploads, and the upload survives restarts. Without one it runs inside n8n: it ends when the execution is stopped, and the next run with the same ingest key continues it.',
      name: 'uploadNotice',
      type: 'notice',
      default: '',
    },
    ...SOURCE_PARAMETERS,
    ...MEDIA_PARAMETERS,
    INGEST_KEY,
    {
      displayName: 'Wait for Completion',
      name: 'wait',
      type: 'boolean',
      default: true,
      description:
        'Whether to wait until the service has processed the file. Otherwise a Temporal worker goes on alone, and inside n8n the node ends once the file is sent; see Upload > Wait or Get.',
    },
    UPLOAD_OPTIONS,
  ],

  execute(execution, itemIndex) {
    return temporalIsChosen(execution.context)
      ? uploadByTemporal(execution, itemIndex)
      : uploadInN8n(execution, itemIndex);
  },
};
