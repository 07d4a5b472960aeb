import type { Operation } from '../operation';
import { switchField } from '../../../n8n/form-fields';
import { fieldsOf, SIMPLIFY } from '../parameters';
import { MEDIA_PARAMETERS } from './fields/media-parameters';
import { INGEST_KEY } from './fields/ingest-key';
import { RUN_IN, runsOnWorker } from './fields/run-in';
import { SOURCE_PARAMETERS } from './fields/source-parameters';
import { uploadInN8n } from './in-n8n/upload-in-n8n';
import { uploadOnWorker } from './on-worker';
import { choicesOf, UPLOAD_OPTIONS } from './fields/upload-options';

/** Files that are sent or handed to workers at once. Files that the service processes do not count. */
const FILES_AT_ONCE = 4;

/**
 * Upload > Upload: one file, in n8n or on a worker. If the worker does not answer, that is an error. It never
 * silently uploads inside n8n instead.
 */
export const upload: Operation = {
  option: {
    name: 'Upload',
    value: 'upload',
    description: 'Upload a file, in n8n or on a worker',
    action: 'Upload a file',
  },
  parameters: [
    RUN_IN,
    ...SOURCE_PARAMETERS,
    INGEST_KEY,
    ...MEDIA_PARAMETERS,
    switchField('wait', {
      default: true,
      description:
        'Whether to wait until the service has processed the file. Otherwise a worker continues by itself, and in n8n the node ends once the file is sent; see Upload > Wait or Get. With On Error set to Continue, waiting for a worker frees the execution.',
    }),
    SIMPLIFY,
    UPLOAD_OPTIONS,
  ],

  atOnce: FILES_AT_ONCE,

  async execute(execution, itemIndex, next) {
    const { context } = execution;
    const { includeOtherFields } = choicesOf(fieldsOf(context, 'options', itemIndex));
    const send = runsOnWorker(context, itemIndex) ? uploadOnWorker : uploadInN8n;
    const output = await send(execution, itemIndex, next);
    if (!includeOtherFields) return output;
    const passedOn = context.getInputData()[itemIndex]?.json;
    if (!Array.isArray(output)) return { ...output, passedOn };
    return output.map((item) => ({ ...item, json: { ...passedOn, ...item.json } }));
  },
};
