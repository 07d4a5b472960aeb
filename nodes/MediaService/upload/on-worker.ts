import type { INodeExecutionData } from 'n8n-workflow';
import { given, textAt } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { UploadResult } from '../../../api/upload/request/upload-request';
import { pathOf } from '../access/door';
import type { Door } from '../access/door';
import { awaitEnd, waitText } from '../await-end';
import { itemOf } from '../items';
import type { NodeExecution } from '../node-execution';
import { fieldsOf, simplifyOf } from '../parameters';
import { showWarnings } from '../worker-warnings';
import { doorSource } from './door-source';
import { ownKeyOf } from './fields/ingest-key';
import { itemUpload, waitOf, withFileType } from './fields/item-upload';
import { choicesOf } from './fields/upload-options';
import { progressText } from './progress-text';
import { hintsOf } from './upload-hints';
import { uploadJson } from './upload-output';

/** Starts the upload of one file on a worker, or joins it. Waits for its end if the form says so. */
export async function uploadOnWorker(
  execution: NodeExecution,
  itemIndex: number,
  next: () => void,
): Promise<INodeExecutionData[]> {
  const { context } = execution;
  const wait = waitOf(context, itemIndex);
  const simplify = simplifyOf(context, itemIndex);
  const { again } = choicesOf(fieldsOf(context, 'options', itemIndex));
  const asked = itemUpload(context, itemIndex);
  const mayJoin = ownKeyOf(context, itemIndex) !== undefined;
  const door = await execution.door(itemIndex);
  const { known, ...source } = await doorSource({ context, itemIndex, mayJoin, door });
  const { media, ...guessed } = withFileType(asked.media, known);
  const start = { ...asked, ...source, media, ...given({ again: again || undefined }) };
  // A new upload in any case: what may have begun is not started twice.
  const answer = await door.post('/v1/uploads', start, { once: again });
  const { joined = false, warnings } = answer;
  const workflowId = textAt(answer, ['id']) ?? '';
  const started = { workflowId, title: media.title, joined, ingestKey: asked.ingestKey };
  showWarnings(context, warnings, wait);
  if (!wait) return [itemOf(uploadJson(started, simplify), itemIndex)];
  next();
  const result = await awaitUpload(execution, door, workflowId);
  return [itemOf(uploadJson({ ...started, ...result, ...guessed }, simplify), itemIndex)];
}

/** Waits for the end of an upload, see `awaitEnd`. The editor shows what the result warns of. */
export async function awaitUpload(
  execution: NodeExecution,
  door: Door,
  workflowId: string,
): Promise<JsonObject> {
  const result = await awaitEnd(execution, {
    ...{ door, path: pathOf('uploads', workflowId) },
    left: `The upload ${workflowId} continues: see Upload > Get, and Upload > Cancel to end it.`,
    progressText: (shown) => {
      const { progress } = shown as unknown as { readonly progress?: Parameters<typeof progressText>[0] };
      return progress === undefined
        ? `Upload: waiting (${waitText(shown) ?? 'no worker has begun it'})`
        : progressText(progress, waitText(shown));
    },
  });
  execution.context.addExecutionHints(...hintsOf(result as unknown as UploadResult));
  return result;
}
