import { adviceOf } from '../api/advice';
import type { Advice } from '../api/advice';
import { MediaServiceError, ValidationError, wrongField } from '../api/errors';
import { given, isJsonObject } from '../api/json';
import type { JsonObject } from '../api/json';
import { DEFAULT_SERVICE_OPTIONS } from '../api/service/create-service';
import { fileTypeOf } from '../api/upload/request/file-type';
import type { UploadRequest } from '../api/upload/request/upload-request';
import { checkUpload } from '../api/upload/request/upload-validation';
import type { SourceDescriptor } from '../api/upload/sources/source';
import { typedFileName } from '../api/upload/sources/source-rules';
import type { ManifestMistake, ManifestRow } from './row';
import { rowText, unnamedRowId } from './row-digest';
import type { RowFields } from './row-fields';
import { sourceOf } from './row-request';
import type { RowContext } from './row-request';

/** A row is an upload's input in Temporal, which accepts no payload above 2 MB; a page contains several rows. */
const MAX_ROW_JSON_BYTES = 512 * 1024;
/** An id becomes part of a workflow's id and of a tag. */
const MAX_ID_BYTES = 200;

export interface RowRules {
  readonly rowContext: RowContext;
  /** Tag that carries the ingest key; rows must not set it. Default: as in the service's options. */
  readonly ingestTag?: string | false;
}

/** Returns the row, or everything that is wrong with it by the rules of the interface and of batches. */
export function makeRow(
  line: number,
  fields: RowFields,
  rules: RowRules,
): readonly [ManifestRow] | readonly ManifestMistake[] {
  const mistakes: ManifestMistake[] = [];
  const attempt = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      mistakes.push(mistakeOf(line, error));
      return undefined;
    }
  };
  const source = attempt(() => textOf('source', fields.source ?? ''));
  const descriptor = source === undefined ? undefined : attempt(() => sourceOf(source, rules.rowContext));
  const id = attempt(() => idOf(fields.id));
  attempt(() => refuseUnnamedTag(fields.media['tags']));
  const tags = fields.media['tags'];
  const named = { id: fields.id, ...prefixed(isJsonObject(tags) ? tags : {}) };
  for (const [name, value] of Object.entries(named)) attempt(() => refuseShortened(name, value));
  attempt(() => refuseIngestTag(fields.media['tags'], rules.ingestTag));
  const { checked, errors } = judge(fields, descriptor ?? { kind: 'path', path: '/' });
  mistakes.push(...errors.map((error) => mistakeOf(line, error)));
  if (descriptor !== undefined) attempt(() => refuseUnknownType(descriptor, fields.media['fileType']));
  if (mistakes.length > 0 || source === undefined || checked === undefined) {
    return withReadable(mistakes, { id, source: descriptor === undefined ? undefined : source });
  }
  const says = {
    source,
    media: checked.media,
    ...(checked.metadata === undefined ? {} : { metadata: checked.metadata }),
  };
  const row = { line, id: id ?? attempt(() => unnamedRowId(says)) ?? '', ...says };
  attempt(() => refuseLarge(row));
  return mistakes.length > 0 ? withReadable(mistakes, { id, source }) : [row];
}

/** Returns the mistakes of one row. The first mistake gets the readable cells. */
export function withReadable(
  [first, ...others]: readonly ManifestMistake[],
  { id, source }: { readonly id: string | undefined; readonly source: string | undefined },
): readonly ManifestMistake[] {
  if (first === undefined) return [];
  const readable = given({ id, source });
  return [{ ...first, readable }, ...others];
}

interface Judgement {
  readonly checked?: UploadRequest;
  readonly errors: readonly unknown[];
}

/** First checks the row as a whole. Only for a wrong row does it search for every mistake. */
function judge({ media, metadata }: RowFields, source: SourceDescriptor): Judgement {
  const request = { source, media, metadata, ingestKey: 'row', options: {} };
  let whole: unknown;
  try {
    return { checked: judged(request), errors: [] };
  } catch (error) {
    whole = error;
  }
  const { insights, ...others } = media;
  const parts = [
    ...Object.entries(others).map(([name, value]) => ({ media: { [name]: value } })),
    ...Object.entries(isJsonObject(insights) ? insights : {}).map(([name, value]) => ({
      media: { insights: { [name]: value } },
    })),
    { media: {}, metadata },
  ];
  const errors = parts
    .map((part) => errorOf({ ...request, metadata: undefined, ...part }))
    .filter((error) => error !== undefined);
  return { errors: errors.length > 0 ? errors : [whole] };
}

function errorOf(request: object): unknown {
  try {
    judged(request);
    return undefined;
  } catch (error) {
    return error;
  }
}

function judged(request: object): UploadRequest {
  // `checkUpload` checks values of any type; its parameter's type is what it ensures.
  return checkUpload(request as UploadRequest);
}

function textOf(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrongField(field, 'must be a text');
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

function prefixed(tags: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [`tags.${key}`, value]));
}

function refuseIngestTag(tags: unknown, ingestTag: string | false = DEFAULT_SERVICE_OPTIONS.ingestTag): void {
  if (ingestTag === false || typeof tags !== 'object' || tags === null || !Object.hasOwn(tags, ingestTag))
    return;
  throw new ValidationError(
    `tags.${ingestTag}`,
    `the tag "${ingestTag}" carries the ingest key, which identifies an upload`,
    'Choose another tag.',
  );
}

/** An extension in the name decides. An address without one is left to the worker, which sees the MIME type. */
function refuseUnknownType(source: SourceDescriptor, fileType: unknown): void {
  const fileName = typedFileName(source);
  if (fileType === undefined && fileName !== undefined) fileTypeOf({ fileName });
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
  if (error instanceof RangeError) {
    const problem = 'is nested too deeply';
    return { line, column: 'metadata', message: `metadata ${problem}`, problem, hint: 'Flatten it.' };
  }
  if (!(error instanceof MediaServiceError)) throw error;
  const { field, problem } = error.facts;
  const advice = adviceOf(error.facts);
  if (field === undefined) return { line, message: error.message, ...advice };
  const column = columnOf(field);
  return {
    line,
    column,
    ...(problem === undefined ? { message: error.message } : { message: `${column} ${problem}`, problem }),
    ...inManifest(advice),
  };
}

function inManifest(advice: Advice): Advice {
  const { remedy } = advice;
  return remedy?.kind === 'choose-file-type'
    ? { ...advice, remedy: { ...remedy, inManifest: true } }
    : advice;
}

/** Returns the manifest's name for a field of a request. */
function columnOf(field: string): string {
  if (field.startsWith('insights.')) return field.slice('insights.'.length);
  if (field.startsWith('tags.')) return field;
  return field.split('.')[0] ?? field;
}
