import { MediaServiceError, ValidationError, wrongField } from '../api/errors';
import { given, isJsonObject } from '../api/json';
import { fileTypeOf } from '../api/upload/file-type';
import type { UploadRequest } from '../api/upload/types';
import { refuseIngestTag } from '../api/upload/protocol/ingest-key';
import { checkUpload } from '../api/upload/validate';
import type { SourceDescriptor } from '../api/upload/sources/source';
import { typedFileName } from '../api/upload/sources/source-rules';
import type { ManifestItem, ManifestMistake, ManifestRow, ReadableCells } from './row';
import { rowText, unnamedRowId } from './row';
import { sourceOf } from './row-request';
import type { RowContext } from './row-request';
import { COLUMNS, isColumn, tagKeyOf, unknownName } from './columns';

/** A row is an upload's input in Temporal, which accepts no payload above 2 MB; a page contains several rows. */
const MAX_ROW_JSON_BYTES = 512 * 1024;
/** An id becomes part of a workflow's id and of a tag. */
const MAX_ID_BYTES = 200;

export interface RowRules {
  readonly rowContext: RowContext;
  /** Tag that carries the ingest key; rows must not set it. Default: as in the service's options. */
  readonly ingestTag?: string | false;
}

/** A row's fields before they are checked: of any type, unset if the manifest leaves them out. */
export interface RowFields {
  readonly source?: unknown;
  readonly id?: unknown;
  readonly metadata?: unknown;
  readonly media: Readonly<Record<string, unknown>>;
}

const OF_MEDIA = ['fileType', 'title', 'creator', 'resolution', 'duration'] as const;
const OF_INSIGHTS = ['isLibrary', 'includeInReport'] as const;

/** Moves the columns' fields to where an upload has them. */
export function gatherFields(fields: ReadonlyMap<string, unknown>, tags: unknown): RowFields {
  const picked = (names: readonly string[]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(names.flatMap((name) => (fields.has(name) ? [[name, fields.get(name)]] : [])));
  const insights = picked(OF_INSIGHTS);
  const media = {
    ...picked(OF_MEDIA),
    ...given({ tags, insights: Object.keys(insights).length === 0 ? undefined : insights }),
  };
  return { source: fields.get('source'), id: fields.get('id'), metadata: fields.get('metadata'), media };
}

/** Returns the row, or its first mistake by the rules of the interface and of batches. */
export function makeRow(line: number, fields: RowFields, rules: RowRules): ManifestItem {
  let readable: ReadableCells = {};
  try {
    const { source = '' } = fields;
    if (typeof source !== 'string') throw wrongField('source', 'must be a text');
    const descriptor = sourceOf(source, rules.rowContext);
    readable = { source };
    const id = idOf(fields.id);
    readable = { source, ...given({ id }) };
    const { media, metadata } = checkedFields(fields, descriptor, rules);
    const says = { source, media, ...given({ metadata }) };
    const row = { line, id: id ?? unnamedRowId(says), ...says };
    refuseLarge(row);
    return row;
  } catch (error) {
    return { ...mistakeOf(line, error), readable };
  }
}

function checkedFields(
  { id, media, metadata }: RowFields,
  source: SourceDescriptor,
  { ingestTag }: RowRules,
): UploadRequest {
  const { tags } = media;
  refuseUnnamedTag(tags);
  refuseShortened('id', id);
  for (const [key, value] of Object.entries(isJsonObject(tags) ? tags : {}))
    refuseShortened(`tags.${key}`, value);
  refuseIngestTag(tags, ingestTag);
  // An extension in the name decides. An address without one is left to the worker, which sees the MIME type.
  const fileName = typedFileName(source);
  if (media['fileType'] === undefined && fileName !== undefined) fileTypeOf({ fileName });
  const request: object = { source, media, metadata, ingestKey: 'row', options: {} };
  // `checkUpload` checks values of any type; its parameter's type is what it ensures.
  return checkUpload(request as UploadRequest);
}

function idOf(value: unknown): string | undefined {
  const id = typeof value === 'number' ? String(value) : value;
  if (id === undefined) return undefined;
  if (typeof id !== 'string') throw wrongField('id', 'must be a text');
  if (id.trim() === '')
    throw new ValidationError(
      'id',
      'the id is empty',
      'Leave the cell empty to get an id made from the row.',
    );
  if (/[\p{Cc}\p{Cs}]/u.test(id))
    throw new ValidationError(
      'id',
      'the id contains a control character',
      'Remove line breaks and other invisible characters from it.',
    );
  if (Buffer.byteLength(id) > MAX_ID_BYTES) {
    throw new ValidationError('id', `the id has more than ${String(MAX_ID_BYTES)} bytes`);
  }
  return id.trim();
}

/** The interface allows any key, but an empty one is never meant. */
function refuseUnnamedTag(tags: unknown): void {
  if (!isJsonObject(tags) || Object.keys(tags).every((key) => key.trim() !== '')) return;
  throw new ValidationError('tags', 'a tag has no key', 'Name the tag, as tags.<key>, or remove it.');
}

/** Spreadsheets write a number of many digits as 7.61592E+18. The other digits are lost, and many ids become one. */
function refuseShortened(name: string, value: unknown): void {
  if (typeof value !== 'string' || !/^\d([.,]\d+)?E\+\d+$/i.test(value.trim())) return;
  throw new ValidationError(
    name,
    `"${value}" is a number that a spreadsheet shortened`,
    'Format the column as text before you enter or import the values.',
  );
}

function refuseLarge(row: ManifestRow): void {
  // A character of JSON has at most three bytes of UTF-8, so few rows need an exact count.
  if (JSON.stringify(row).length * 3 <= MAX_ROW_JSON_BYTES) return;
  const bytes = Buffer.byteLength(rowText(row));
  if (bytes <= MAX_ROW_JSON_BYTES) return;
  throw new MediaServiceError(
    'Validation',
    `the row has ${String(bytes)} bytes as JSON; at most ${String(MAX_ROW_JSON_BYTES)} can be sent through Temporal`,
    { hint: 'Shorten it, or keep its large data elsewhere and put its address into the metadata.' },
  );
}

function mistakeOf(line: number, error: unknown): ManifestMistake {
  if (error instanceof RangeError)
    return { line, column: 'metadata', message: 'metadata is nested too deeply', hint: 'Flatten it.' };
  if (!(error instanceof MediaServiceError)) throw error;
  const { field, problem } = error.facts;
  const hint = error.facts.hint?.replace('{fileType}', 'the column fileType');
  if (field === undefined) return { line, message: error.message, ...given({ hint }) };
  const column = columnOf(field);
  const message = problem === undefined ? error.message : `${column} ${problem}`;
  return { line, column, message, ...given({ hint }) };
}

/** Returns the manifest's name for a field of a request. */
function columnOf(field: string): string {
  if (field.startsWith('insights.')) return field.slice('insights.'.length);
  if (field.startsWith('tags.')) return field;
  return field.split('.')[0] ?? field;
}

const ALL = `Fields are ${COLUMNS.join(', ')} and tags.`;

/** Reads one row of JSON: returns the row, or its first mistake. `null` means unset. */
export function readJsonRow(line: number, value: unknown, rules: RowRules): ManifestItem {
  if (!isJsonObject(value)) {
    const hint = 'Write it as {"source":"clip.mp4"}.';
    return { line, message: 'the row is JSON, but not an object', hint };
  }
  const flatTags: [string, unknown][] = [];
  const set = new Map<string, unknown>();
  for (const [name, field] of Object.entries(value)) {
    if (field === null) continue;
    const tag = tagKeyOf(name);
    if (tag !== undefined) flatTags.push([tag, field]);
    else if (name === 'tags' || isColumn(name)) set.set(name, field);
    else return { line, ...unknownName(name, { noun: 'field', all: ALL }) };
  }
  const tags = set.get('tags');
  const [twice] = flatTags.filter(([key]) => isJsonObject(tags) && Object.hasOwn(tags, key));
  if (twice !== undefined) {
    const message = `the tag "${twice[0]}" is given twice`;
    return { line, column: `tags.${twice[0]}`, message, hint: 'Give each tag once.' };
  }
  return makeRow(line, gatherFields(set, tagsOf(tags, flatTags)), rules);
}

/**
 * Reads `"tags":{"project":"apollo"}`, as in the interface, or `"tags.project":"apollo"`, as in a CSV that was
 * converted to JSON.
 */
function tagsOf(tags: unknown, flat: readonly [string, unknown][]): unknown {
  if (flat.length === 0 || (tags !== undefined && !isJsonObject(tags))) return tags;
  return Object.fromEntries([...Object.entries(tags ?? {}), ...flat]);
}
