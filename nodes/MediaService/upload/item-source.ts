import { BINARY_ENCODING } from 'n8n-workflow';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { ConfigurationError, ValidationError } from '../../../api/errors';
import { isRecord } from '../../../api/json';
import { labelOf } from '../../../api/upload/sources/source';
import type { HttpSource } from '../../../api/upload/sources/source';
import { numberField, requiredText } from '../parameters';

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
export function itemFile({ context, itemIndex }: ItemOf): ItemFile {
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

interface ItemOf {
  readonly context: IExecuteFunctions;
  readonly itemIndex: number;
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
export function refuseUnreadable({ id, bytes }: IBinaryData): void {
  const inDatabase = id?.startsWith('database:') === true;
  if (!inDatabase || bytes === undefined || bytes <= READABLE_BYTES) return;
  throw new ConfigurationError(
    'binaryPropertyName',
    `n8n can't read this file back from its database: it has ${bytes} bytes, and a database gives n8n ${READABLE_BYTES} at most`,
    'Let n8n store binary data elsewhere (N8N_DEFAULT_BINARY_DATA_MODE=filesystem, with a folder that main and workers share, or s3), or upload the file from its URL.',
  );
}
