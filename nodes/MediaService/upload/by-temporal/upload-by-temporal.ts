import type { INodeExecutionData } from 'n8n-workflow';
import { accountId } from '../../../../api/account';
import { MediaServiceError } from '../../../../api/errors';
import { readListing } from '../../../../temporal/upload/client/list-uploads';
import { startUpload } from '../../../../temporal/upload/client/start-upload';
import type { UploadHandle } from '../../../../temporal/upload/client/open-upload';
import { uploadNeed } from '../../../../temporal/client/living-workers';
import { prefixOfQueue } from '../../../../temporal/upload/types';
import { itemOf } from '../../items';
import type { NodeExecution } from '../../node-execution';
import { fieldsOf, simplifyOf } from '../../parameters';
import { hintWithoutWorker } from '../../without-worker';
import { awaitUpload } from './await-upload';
import { itemSource, plannedSource, withFileName } from '../item-source';
import { ownKeyOf } from '../fields/ingest-key';
import { itemUpload, waitOf, withFileType } from '../fields/item-upload';
import type { TypedUpload } from '../fields/item-upload';
import { hintsOf } from '../upload-hints';
import { choicesOf, fileNameOf } from '../fields/upload-options';
import { uploadJson } from '../upload-output';

/** Starts the Temporal workflow of one file, or joins it. Waits for its end if the form says so. */
export async function uploadByTemporal(
  { context, signal, service, temporal }: NodeExecution,
  itemIndex: number,
  next: () => void,
): Promise<INodeExecutionData[]> {
  const { account, options: serviceOptions } = await service(itemIndex);
  const fields = fieldsOf(context, 'options', itemIndex);
  const wait = waitOf(context, itemIndex);
  const { again } = choicesOf(fields);
  const asked = itemUpload(context, itemIndex, serviceOptions.maxParts);
  const mayJoin = ownKeyOf(context, itemIndex) !== undefined;
  const planned = plannedSource(context, itemIndex);
  // Last, because reading its credential and connecting cost more than everything above.
  const { connection, queuePrefix, sharedFolder } = await temporal(itemIndex);
  const where = { context, itemIndex, sharedFolder, mayJoin };
  const owner = accountId(account);
  const need = uploadNeed({ queuePrefix, accountId: owner, source: planned });
  const handedOver = withFileName(await itemSource(where), fileNameOf(fields));
  let guessed: Pick<TypedUpload, 'fileTypeFrom'> = {};
  const starting = async (): Promise<UploadHandle> => {
    const { request, ...how } = withFileType({ source: handedOver.source, ...asked }, handedOver);
    guessed = how;
    return startUpload(connection, { account, request, queuePrefix, serviceOptions, again });
  };
  const handle = await starting().catch(async (error: unknown) => {
    if (!mayHaveStarted(error)) await handedOver.takeBack();
    throw error;
  });
  const { workflowId, joined } = handle;
  const { title } = asked.media;
  const simplify = simplifyOf(context, itemIndex);
  if (joined) await handedOver.takeBack();
  if (handle.warning !== undefined) {
    context.addExecutionHints({ message: handle.warning, type: 'warning', location: 'outputPane' });
  }
  const started = { workflowId, title, joined, ingestKey: asked.ingestKey };
  const runs = async (): Promise<boolean> =>
    !joined || (await readListing(connection, workflowId)).closedAt === undefined;
  // An upload that was joined waits on its own queue, for example one of a prefix that the credential had before.
  const prefix = prefixOfQueue(handle.joinedQueue ?? '', owner) ?? queuePrefix;
  const missing = { need: { ...need, queuePrefix: prefix }, wait, starts: 'The upload starts', runs };
  await hintWithoutWorker(context, connection, missing);
  if (!wait) return [itemOf(uploadJson(started, simplify), itemIndex)];
  next();
  const result = await awaitUpload(handle, { context, signal });
  context.addExecutionHints(...hintsOf(result));
  return [itemOf(uploadJson({ ...started, ...result, ...guessed }, simplify), itemIndex)];
}

/** Temporal may have accepted the upload nevertheless, and then the file must stay. */
function mayHaveStarted(error: unknown): boolean {
  return !(error instanceof MediaServiceError) || error.outcome === 'ambiguous';
}
