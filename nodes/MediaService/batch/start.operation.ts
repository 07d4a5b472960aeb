import type { INodeExecutionData } from 'n8n-workflow';
import { accountId } from '../../../api/account';
import { startBatch } from '../../../temporal/batch/client/start-batch';
import type { StartBatch } from '../../../temporal/batch/client/start-batch';
import { readBatchListing } from '../../../temporal/batch/client/list-batches';
import { batchNeed } from '../../../temporal/client/living-workers';
import { locationText, locationWithin, parseLocation } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { plainItem } from '../items';
import type { NodeExecution } from '../node-execution';
import type { Operation } from '../operation';
import { fieldsOf, required, textField } from '../parameters';
import { awaitStart } from './await-start';
import { NEW_BATCH_ID, newBatchIdOf } from './fields/batch-id';
import { BATCH_OPTIONS, batchOptionsOf } from './fields/batch-options';
import { WAIT, waitOf } from './fields/batch-wait';
import { isFromItems, START_PARAMETERS } from './fields/start-parameters';
import { hintWithoutWorker } from '../without-worker';
import { itemRows } from './item-rows';
import { folderOfManifest, manifestSource } from './manifest-source';
import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';

/**
 * Batch > Start: starts one batch of all input items, or a batch from the manifest of an item. Always uses Temporal.
 */
export const start: Operation = {
  option: {
    name: 'Start',
    value: 'start',
    description: 'Upload many files with Temporal workers: from the input items, or from a manifest',
    action: 'Start a batch',
  },
  parameters: [...START_PARAMETERS, NEW_BATCH_ID, WAIT, BATCH_OPTIONS],

  together: isFromItems,

  async execute(execution, itemIndex, next) {
    const { context, temporal } = execution;
    const { connection } = await temporal(itemIndex);
    const wait = waitOf(context, itemIndex);
    const asked = await batchOf(execution, itemIndex);
    const { folder, manifest, options = {}, batchId, queuePrefix = '' } = asked;
    const need = batchNeed({ queuePrefix, accountId: accountId(asked.account), manifest, folder, options });
    const handle = await startBatch(connection, asked);
    const { workflowId, joined } = handle;
    if (wait) next();
    const runs = async (): Promise<boolean> =>
      !joined || (await readBatchListing(connection, workflowId)).closedAt === undefined;
    await hintWithoutWorker(context, connection, { need, wait, starts: 'The batch starts', runs });
    const started = { batchId, workflowId, joined, folder: locationText(folder) };
    const became = await awaitStart(handle, execution, wait);
    return [ofItems(execution, plainItem({ ...started, ...became }, itemIndex))];
  },
};

/** The batch that the form describes. */
async function batchOf(
  { context, service, temporal }: NodeExecution,
  itemIndex: number,
): Promise<StartBatch> {
  const { account, options: serviceOptions } = await service(itemIndex);
  const { queuePrefix } = await temporal(itemIndex);
  const text = (name: string, label: string): string | undefined =>
    textField(context.getNodeParameter(name, itemIndex, ''), label);
  const fields = fieldsOf(context, 'options', itemIndex);
  const host = text('host', 'Worker Host');
  const options = batchOptionsOf(fields, serviceOptions.maxParts, host);
  const { sourceFolder: folder, sourceSecret: secret } = options;
  const rowContext = given({ folder, host, secret });
  const isAll = isFromItems(context);
  const batchId = newBatchIdOf(context, itemIndex, isAll);
  const manifest = isAll
    ? { rows: itemRows(context, { rowContext, ingestTag: serviceOptions.ingestTag }) }
    : manifestSource(required(text('manifest', 'Manifest'), 'Manifest'), rowContext);
  return {
    account,
    serviceOptions,
    queuePrefix,
    batchId,
    manifest,
    folder: batchFolder(required(text('folder', 'Folder'), 'Folder'), batchId, host),
    options: { ...options, ...given({ sourceFolder: folder ?? folderOfManifest(manifest) }) },
  };
}

/** The output item belongs to all input items, because they are the rows. */
function ofItems({ context }: NodeExecution, item: INodeExecutionData): INodeExecutionData {
  if (!isFromItems(context)) return item;
  return { ...item, pairedItem: context.getInputData().map((_item, index) => ({ item: index })) };
}

/** Absolute on the workers, which may have another operating system than n8n. */
const ABSOLUTE = /^(?:file:|[\\/]|[a-z]:[\\/])/i;

/** The batch's own folder inside the folder of the form. */
function batchFolder(folder: string, batchId: string, host: string | undefined): FileLocation {
  const location = parseLocation(folder, { cwd: '/', host, field: 'Folder' });
  if (location.kind === 's3' || ABSOLUTE.test(folder)) return locationWithin(location, batchId);
  throw new ValidationError(
    'folder',
    `"Folder" is a relative path: ${folder}`,
    'Write it in full, as the workers see it, or as s3://bucket/prefix.',
  );
}
