import type { IExecuteFunctions } from 'n8n-workflow';
import { adviceOf, whatToDo } from '../../../api/advice';
import { N8N_WORDS } from '../../../n8n/n8n-words';
import { MediaServiceError, ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { readJsonRow } from '../../../manifest/jsonl/read-json-lines';
import type { RowRules } from '../../../manifest/make-row';
import type { ManifestMistake, ManifestRow } from '../../../manifest/row';
import { MAX_ROWS_BYTES, sentRowBytes } from '../../../temporal/batch/client/batch-input';
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
 * All items as rows of one batch, in the form of JSON lines in a manifest. Rejects with one error that names all wrong
 * items and their mistakes. Also rejects if the rows as sent have more bytes than a batch accepts directly.
 */
export function itemRows(context: IExecuteFunctions, rules: RowRules): JsonObject[] {
  const rows: JsonObject[] = [];
  const mistakes: ItemMistake[] = [];
  const firstOf = new Map<string, number>();
  const count = context.getInputData().length;
  let bytes = 0;
  for (let itemIndex = 0; itemIndex < count; itemIndex += 1) {
    const { json, row, wrong } = readItem(context, itemIndex, rules);
    const first = row === undefined ? undefined : firstOf.get(row.id);
    const twice = first === undefined ? [] : [sameRow(context, { row, first })];
    mistakes.push(...[...wrong, ...twice].map((text) => ({ itemIndex, text })));
    if (row !== undefined) firstOf.set(row.id, first ?? itemIndex);
    bytes += sentRowBytes(json);
    if (bytes > MAX_ROWS_BYTES) throw tooLarge(itemIndex, count);
    rows.push(json);
  }
  if (mistakes.length > 0) throw refusal(context, mistakes, count);
  return rows;
}

interface ReadItem {
  readonly json: JsonObject;
  readonly row?: ManifestRow;
  readonly wrong: readonly string[];
}

function readItem(context: IExecuteFunctions, itemIndex: number, rules: RowRules): ReadItem {
  try {
    const json = rowJson(context, itemIndex);
    const read = readJsonRow(itemIndex + 1, json, rules);
    const wrong = read.flatMap((one) => ('message' in one ? [mistakeText(one)] : []));
    const [row] = read.flatMap((one) => ('message' in one ? [] : [one]));
    return { json, wrong, ...given({ row }) };
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw nodeErrorOf(context.getNode(), error, itemIndex);
    return { json: {}, wrong: [sentenceOf(error).replace(/\.$/, '')] };
  }
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

/** What is wrong with an item, with the name of its field, and what to do. */
export function mistakeText({ column, message, problem, ...advice }: ManifestMistake): string {
  const hint = whatToDo(N8N_WORDS, adviceOf(advice));
  const what = column === undefined || problem !== undefined ? message : `${column}: ${message}`;
  return hint === undefined ? what : `${what}. ${hint.replace(/\.$/, '')}`;
}

function sameRow(
  context: IExecuteFunctions,
  { row, first }: { row: ManifestRow | undefined; first: number },
): string {
  const isNamed = textField(context.getNodeParameter('rowId', first, ''), 'Row ID') !== undefined;
  return isNamed
    ? `the Row ID "${row?.id ?? ''}" is also that of item ${first}`
    : `is the same as item ${first}`;
}

function refusal(context: IExecuteFunctions, mistakes: readonly ItemMistake[], count: number): Error {
  const items = new Set(mistakes.map(({ itemIndex }) => itemIndex)).size;
  const shown = mistakes.slice(0, MAX_NAMED).map(({ itemIndex, text }) => `Item ${itemIndex}: ${text}.`);
  const more = mistakes.length - shown.length;
  const error = new ValidationError(
    'rows',
    `${items} of ${count} items can't be rows of a batch: nothing was started`,
    [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' '),
  );
  return nodeErrorOf(context.getNode(), error, mistakes[0]?.itemIndex);
}

function tooLarge(itemIndex: number, count: number): ValidationError {
  return new ValidationError(
    'rows',
    `The rows of ${count} items have more than ${MAX_ROWS_BYTES} bytes as they are sent to Temporal, with sealed addresses; only the first ${itemIndex} fit`,
    'Write them to a CSV or JSON lines file that the workers can read (Convert to File, then S3 or a shared folder), and choose "Rows From: Manifest". Or start several batches.',
  );
}
