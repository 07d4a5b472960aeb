import type { Operation } from '../operation';
import { SIMPLIFY } from '../parameters';
import { MEDIA_PARAMETERS } from './fields/media-parameters';
import { RUN_IN, runsInTemporal } from './fields/run-in';
import { SOURCE_PARAMETERS } from './fields/source-parameters';
import { uploadByTemporal } from './by-temporal/upload-by-temporal';
import { uploadInN8n } from './in-n8n/upload-in-n8n';
import { UPLOAD_OPTIONS } from './fields/upload-options';

/** Files that are sent or handed to workers at once. Files that the service processes do not count. */
const FILES_AT_ONCE = 4;

/**
 * Upload > Upload: one file, in n8n or by a Temporal worker. If Temporal does not answer, that is an error. It never
 * silently uploads inside n8n instead.
 */
export const upload: Operation = {
  option: {
    name: 'Upload',
    value: 'upload',
    description: 'Upload a file, in n8n or by a Temporal worker',
    action: 'Upload a file',
  },
  parameters: [
    RUN_IN,
    ...SOURCE_PARAMETERS,
    ...MEDIA_PARAMETERS,
    {
      displayName: 'Wait for Completion',
      name: 'wait',
      type: 'boolean',
      default: true,
      description:
        'Whether to wait until the service has processed the file. Otherwise a Temporal worker continues by itself, and in n8n the node ends once the file is sent; see Upload > Wait or Get.',
    },
    SIMPLIFY,
    UPLOAD_OPTIONS,
  ],

  atOnce: FILES_AT_ONCE,

  execute(execution, itemIndex, next) {
    return runsInTemporal(execution.context, itemIndex)
      ? uploadByTemporal(execution, itemIndex, next)
      : uploadInN8n(execution, itemIndex, next);
  },
};
