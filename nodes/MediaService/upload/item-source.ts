import { createHash } from 'node:crypto';
import { BINARY_ENCODING } from 'n8n-workflow';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { ConfigurationError, ValidationError } from '../../../api/errors';
import { given, isRecord, textAt } from '../../../api/json';
import { labelOf } from '../../../api/upload/sources/source';
import type { HttpSource } from '../../../api/upload/sources/source';
import { fieldsOf, fileNameField, numberField, requiredText, textField } from '../parameters';
import type { Door } from '../access/door';
import type { KnownFile } from './upload-fields';

export function urlSource(context: IExecuteFunctions, itemIndex: number): HttpSource<string> {
  const url = requiredText(context, { name: 'url' }, itemIndex);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ValidationError('url', '"URL" must start with http:// or https://', 'Enter the full address.');
  }
  return { kind: 'http', url, label: labelOf(url) };
}

export interface ItemFile {
  readonly binary: IBinaryData;
  readonly field: string;
  readonly bytes: () => Promise<number>;
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

/** The item's binary data, by the name of its field or by an expression that gives the file itself. */
export function itemFile(context: IExecuteFunctions, itemIndex: number): ItemFile {
  const { helpers } = context;
  const value: unknown = context.getNodeParameter('binaryPropertyName', itemIndex);
  const isFile = isRecord(value) && typeof value['mimeType'] === 'string';
  const field = isFile ? 'data' : requiredText(context, { name: 'binaryPropertyName' }, itemIndex);
  const binary = helpers.assertBinaryData(itemIndex, isFile ? (value as unknown as IBinaryData) : field);
  refuseUnreadable(binary);
  const { id, data, bytes } = binary;
  return {
    binary,
    field,
    async bytes() {
      if (id === undefined) return Buffer.byteLength(data, BINARY_ENCODING);
      return numberField(bytes, 'bytes') ?? (await helpers.getBinaryMetadata(id)).fileSize;
    },
    open: async () =>
      id === undefined ? once(Buffer.from(data, BINARY_ENCODING)) : helpers.getBinaryStream(id),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}

/** The maximum length of a text in Node, in characters. */
const LONGEST_TEXT = 0x1fffffe8;
/** PostgreSQL returns a file to n8n as one text: `\x`, then two digits per byte. */
const READABLE_BYTES = (LONGEST_TEXT - 2) / 2;

/**
 * Refuses binary data that n8n has stored in its database but can't read. From PostgreSQL such a read would never end,
 * and would block a database connection of n8n. In binary mode `database`, the default in queue mode, n8n can store 512
 * MiB there but read only 256 MiB.
 */
function refuseUnreadable({ id, bytes }: IBinaryData): void {
  const inDatabase = id?.startsWith('database:') === true;
  if (!inDatabase || bytes === undefined || bytes <= READABLE_BYTES) return;
  throw new ConfigurationError(
    'binaryPropertyName',
    `n8n can't read this file back from its database: it has ${bytes} bytes, and a database gives n8n ${READABLE_BYTES} at most`,
    'Let n8n store binary data elsewhere (N8N_DEFAULT_BINARY_DATA_MODE=filesystem, with a folder that main and workers share, or s3), or upload the file from its URL.',
  );
}

interface DoorSourceRequest {
  readonly context: IExecuteFunctions;
  readonly itemIndex: number;
  /** Another execution may start the same upload, and then the contents are compared. */
  readonly mayJoin: boolean;
  readonly door: Door;
}

/** The file of one item as the door takes it. `known`: what n8n itself knows about it. */
export async function doorSource(
  request: DoorSourceRequest,
): Promise<{ readonly source: string; readonly known: KnownFile }> {
  const { context, itemIndex } = request;
  const kind: unknown = context.getNodeParameter('source', itemIndex);
  const name = given({ fileName: fileNameField(fieldsOf(context, 'options', itemIndex)['fileName']) });
  if (kind === 'path') {
    return {
      source: requiredText(context, { name: 'path' }, itemIndex),
      ...workerHost(context, itemIndex),
      ...name,
      known: name,
    };
  }
  if (kind !== 'binary') return { source: urlSource(context, itemIndex).url, ...name, known: name };
  const file = itemFile(context, itemIndex);
  const { binary, field } = file;
  const known = { ...given({ fileName: binary.fileName, mimeType: binary.mimeType }), ...name };
  return { ...(await binarySource(request, file, known.fileName ?? field)), ...known, known };
}

/** The machine of a path. Empty: that of the worker that answers. */
export function workerHost(
  context: IExecuteFunctions,
  itemIndex: number,
): { readonly sourceHost?: string; readonly sharedPath?: boolean } {
  const sourceHost = textField(context.getNodeParameter('host', itemIndex, ''), 'host');
  return sourceHost === '*' ? { sharedPath: true } : given({ sourceHost });
}

/**
 * n8n's signed URL of a stored file, if the worker can reach it. It does not support Range and expires after a day, so
 * the worker copies the file at once. Every other file is sent to the worker, which keeps it for this upload.
 */
async function binarySource(
  { context, mayJoin, door }: DoorSourceRequest,
  { binary, bytes, open }: ItemFile,
  fileName: string,
): Promise<{ readonly source: string; readonly [fact: string]: unknown }> {
  const content = async function* (): AsyncGenerator<Uint8Array> {
    yield* await open();
  };
  const url = binary.id === undefined ? undefined : context.helpers.createBinarySignedUrl(binary);
  if (url === undefined || (isLocal(url) && !isLocal(door.url))) {
    const file = { bytes: await bytes(), open: content };
    const kept = await door.post('/v1/files', file, { query: { fileName } });
    return { source: textAt(kept, ['source']) ?? '' };
  }
  // It needs a second read, so it is made only for an upload that may be joined.
  const sha256 = mayJoin ? await digestOf(content()) : undefined;
  return { source: url, copyFirst: true, bytes: await bytes(), ...given({ sha256 }) };
}

/** Without a WEBHOOK_URL, n8n signs addresses that only its own machine reaches. */
function isLocal(url: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}
