import type { Operation, OperationOutput } from '../operation';
import { switchField } from '../../../n8n/form-fields';
import { SIMPLIFY, simplifyOf, waitOf } from '../parameters';
import { MEDIA_PARAMETERS } from './media-fields';
import {
  INGEST_KEY,
  isOn,
  itemUpload,
  ownKeyOf,
  RUN_IN,
  SOURCE_PARAMETERS,
  UPLOAD_OPTIONS,
  withFileType,
} from './upload-fields';
import { uploadInN8n } from './in-n8n/upload-in-n8n';
import { given, textAt } from '../../../api/json';
import { outputOf } from '../await-end';
import type { AwaitedEnd } from '../await-end';
import { itemOf } from '../output';
import type { NodeExecution } from '../node-execution';
import { showWarnings } from '../worker-warnings';
import { doorSource } from './item-source';

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
    const passesOn = isOn(context, 'includeOtherFields', itemIndex);
    const runIn: unknown = context.getNodeParameter('runIn', itemIndex);
    const send = runIn === 'worker' ? uploadOnWorker : uploadInN8n;
    const output = await send(execution, itemIndex, next);
    if (!passesOn) return output;
    const passedOn = context.getInputData()[itemIndex]?.json;
    if (!Array.isArray(output)) return { ...output, passedOn };
    return output.map((item) => ({ ...item, json: { ...passedOn, ...item.json } }));
  },
};

/** Starts the upload of one file on a worker, or joins it. Its end is awaited if the form says so. */
async function uploadOnWorker(execution: NodeExecution, itemIndex: number): Promise<OperationOutput> {
  const { context } = execution;
  const wait = waitOf(context, itemIndex);
  const simplify = simplifyOf(context, itemIndex);
  const again = isOn(context, 'again', itemIndex);
  const asked = itemUpload(context, itemIndex);
  const mayJoin = ownKeyOf(context, itemIndex) !== undefined;
  const door = await execution.door(itemIndex);
  const { known, ...source } = await doorSource({ context, itemIndex, mayJoin, door });
  const media = withFileType(asked.media, known);
  const start = { ...asked, ...source, media, ...given({ again: again || undefined }) };
  // A new upload in any case: what may have begun is not started twice.
  const answer = await door.post('/v1/uploads', start, { once: again });
  const { joined = false, warnings } = answer;
  showWarnings(context, warnings, wait);
  const awaited: AwaitedEnd = {
    ...{ list: 'uploads', workflowId: textAt(answer, ['id']) ?? '', simplify },
    known: { title: media.title, joined, ingestKey: asked.ingestKey },
  };
  return wait ? awaited : [itemOf(outputOf(awaited), itemIndex)];
}
