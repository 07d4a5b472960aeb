import type { IExecuteFunctions, IPairedItemData } from 'n8n-workflow';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { Operation } from '../operation';
import { nodeErrorOf } from '../node-error';
import { formLabel } from '../../../n8n/form-fields';
import { fieldsOf, requiredText, textField, waitOf } from '../parameters';
import { workerHost } from '../upload/item-source';
import {
  NEW_BATCH_ID,
  newBatchIdOf,
  BATCH_OPTIONS,
  batchOptionsOf,
  isFromItems,
  START_PARAMETERS,
} from './batch-fields';
import { rowOf } from './columns';
import { startBatch, WAIT } from './start-batch';

/** Batch > Start: starts one batch of all input items, or a batch from the manifest of an item. */
export const start: Operation = {
  option: {
    name: 'Start',
    value: 'start',
    description: 'Upload many files on workers: from the input items, or from a manifest',
    action: 'Start a batch',
  },
  parameters: [...START_PARAMETERS, NEW_BATCH_ID, WAIT, BATCH_OPTIONS],

  together: isFromItems,

  async execute(execution, itemIndex, next) {
    const { context } = execution;
    const door = await execution.door(itemIndex);
    const wait = waitOf(context, itemIndex);
    const body = batchBody(context, itemIndex);
    return startBatch(execution, {
      ...{ itemIndex, wait, next, isRepeatable: true },
      ...given({ pairedItem: isFromItems(context) ? pairsOf(context) : undefined }),
      start: () =>
        door
          .post('/v1/batches', body, { query: { plan: true } })
          .catch((error: unknown) => Promise.reject(isFromItems(context) ? namingItems(error) : error)),
    });
  },
};

/** The batch that the form describes. */
function batchBody(context: IExecuteFunctions, itemIndex: number): object {
  const isAll = isFromItems(context);
  if (isAll) for (const name of ['batchId', 'folder']) requireOneValue(context, name);
  const batchId = newBatchIdOf(context, itemIndex, isAll);
  const folder = textAt(context, 'folder', itemIndex)?.replace(/(?<!\/)\/+$/, '');
  const { sourceHost, sharedPath } = workerHost(context, itemIndex);
  return {
    ...(isAll
      ? { rows: rowsOf(context) }
      : { manifest: requiredText(context, { name: 'manifest' }, itemIndex) }),
    batchId,
    // The batch's own folder inside the folder of the form.
    ...given({ folder: folder === undefined ? undefined : `${folder}/${batchId}`, sharedPath }),
    options: { ...batchOptionsOf(fieldsOf(context, 'options', itemIndex)), ...given({ sourceHost }) },
  };
}

/** Names the item of a wrong row. */
function rowsOf(context: IExecuteFunctions): object[] {
  return context.getInputData().map((_item, index) => {
    try {
      return rowOf(context, index);
    } catch (error) {
      throw nodeErrorOf(context.getNode(), error, index);
    }
  });
}

function textAt(context: IExecuteFunctions, name: string, itemIndex: number): string | undefined {
  return textField(context.getNodeParameter(name, itemIndex, ''), name);
}

/** All items become rows of one batch, so what names it must be the same for each. */
function requireOneValue(context: IExecuteFunctions, name: string): void {
  const value = context.getNode().parameters[name];
  if (typeof value !== 'string' || !value.startsWith('=')) return;
  const texts = context.getInputData().map((_item, index) => textAt(context, name, index) ?? '');
  const other = texts.findIndex((text) => text !== texts[0]);
  if (other < 0) return;
  const label = formLabel(name);
  throw new ValidationError(
    name,
    `"${label}" is "${texts[0]}" for item 0 and "${texts[other]}" for item ${other}, but all items become one batch`,
    'Send the items of each batch to this node by themselves, for example in a sub-workflow, or give all the same value.',
  );
}

/**
 * The output item belongs to all input items, because they are the rows. The first pair names their node, so that
 * Batch > Get Results can pair each row with its item.
 */
function pairsOf(context: IExecuteFunctions): IPairedItemData[] {
  const source = context.getExecuteData().source?.['main']?.[0];
  const [first, ...others] = context.getInputData().map((_item, index) => ({ item: index }));
  if (first === undefined) return [];
  return [source == null ? first : { ...first, sourceOverwrite: source }, ...others];
}

/** Names wrong rows by their items: a row counts from 1, an item from 0. */
function namingItems(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const message = error.message.replace(/\bline (\d+)/g, (_line, row) => `item ${Number(row) - 1}`);
  return new MediaServiceError(error.code, message, error.facts, { cause: error });
}
