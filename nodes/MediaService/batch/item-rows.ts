import type { IExecuteFunctions } from 'n8n-workflow';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { sentenceOf } from '../../../n8n/error-words';
import { nodeErrorOf } from '../node-error';
import { textField } from '../parameters';
import { mediaOf } from '../upload/fields/media-parameters';
import { itemSource } from './item-source';

/** Enough mistakes for people who read the error. */
const MAX_NAMED = 10;

interface ItemMistake {
  readonly itemIndex: number;
  readonly text: string;
}

/**
 * All items as rows of one batch, in the form of JSON lines in a manifest. Rejects with one error that names all items
 * whose fields can't be read, and their mistakes. The worker checks the rows themselves.
 */
export function itemRows(context: IExecuteFunctions): JsonObject[] {
  const mistakes: ItemMistake[] = [];
  const rows = context.getInputData().map((_item, itemIndex) => {
    try {
      return rowJson(context, itemIndex);
    } catch (error) {
      if (!(error instanceof MediaServiceError)) throw nodeErrorOf(context.getNode(), error, itemIndex);
      mistakes.push({ itemIndex, text: sentenceOf(error).replace(/\.$/, '') });
      return {};
    }
  });
  if (mistakes.length > 0) throw refusal(context, mistakes, rows.length);
  return rows;
}

/** The item as a line of a manifest. */
function rowJson(context: IExecuteFunctions, itemIndex: number): JsonObject {
  const text = (name: string, label: string): string | undefined =>
    textField(context.getNodeParameter(name, itemIndex, ''), label);
  const { media, metadata } = mediaOf(context, itemIndex);
  const { insights, tags, ...fields } = media;
  return given({
    source: itemSource(context, itemIndex),
    id: text('rowId', 'Row ID'),
    ...fields,
    ...insights,
    tags: tags === undefined ? undefined : { ...tags },
    metadata,
  });
}

function refusal(context: IExecuteFunctions, mistakes: readonly ItemMistake[], count: number): Error {
  const shown = mistakes.slice(0, MAX_NAMED).map(({ itemIndex, text }) => `Item ${itemIndex}: ${text}.`);
  const more = mistakes.length - shown.length;
  const error = new ValidationError(
    'rows',
    `${mistakes.length} of ${count} items can't be rows of a batch: nothing was started`,
    [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' '),
  );
  return nodeErrorOf(context.getNode(), error, mistakes[0]?.itemIndex);
}
