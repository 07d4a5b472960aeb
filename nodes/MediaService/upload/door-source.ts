import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { ConfigurationError } from '../../../api/errors';
import { given } from '../../../api/json';
import { fieldsOf, numberField, textField } from '../parameters';
import type { KnownFile } from './fields/item-upload';
import { fileNameOf } from './fields/upload-options';
import { itemBinary, requiredText, urlSource } from './item-source';

/** The source of an upload as the door takes it. */
interface DoorSource {
  readonly source: string;
  readonly sourceHost?: string;
  readonly sharedPath?: boolean;
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly copyFirst?: boolean;
}

interface DoorSourceRequest {
  readonly context: IExecuteFunctions;
  readonly itemIndex: number;
  /** Another execution may start the same upload, and then the contents are compared. */
  readonly mayJoin: boolean;
}

/** The file of one item. `known`: what n8n itself knows about it. */
export async function doorSource(
  request: DoorSourceRequest,
): Promise<DoorSource & { readonly known: KnownFile }> {
  const { context, itemIndex } = request;
  const kind: unknown = context.getNodeParameter('source', itemIndex);
  const name = given({ fileName: fileNameOf(fieldsOf(context, 'options', itemIndex)) });
  if (kind === 'path') {
    return {
      source: requiredText(context, 'path', itemIndex),
      ...workerHost(context, itemIndex),
      ...name,
      known: name,
    };
  }
  if (kind !== 'binary') return { source: urlSource(context, itemIndex).url, ...name, known: name };
  const { binary } = itemBinary(context, itemIndex);
  const known = { ...given({ fileName: binary.fileName, mimeType: binary.mimeType }), ...name };
  return { ...(await binarySource(request, binary)), ...known, known };
}

/** The machine of a path. Empty: that of the worker that answers. */
export function workerHost(
  context: IExecuteFunctions,
  itemIndex: number,
): Pick<DoorSource, 'sourceHost' | 'sharedPath'> {
  const sourceHost = textField(context.getNodeParameter('host', itemIndex, ''), 'Worker Host');
  return sourceHost === '*' ? { sharedPath: true } : given({ sourceHost });
}

/**
 * n8n's signed URL of the file. It does not support Range and expires after a day, so the worker copies the file at
 * once. The digest needs a second read, so it is made only for an upload that may be joined.
 */
async function binarySource(
  { context, mayJoin }: DoorSourceRequest,
  binary: IBinaryData,
): Promise<DoorSource> {
  if (binary.id === undefined) {
    throw new ConfigurationError(
      'binaryPropertyName',
      'n8n keeps this file in memory: no worker can fetch it',
      'Take the file from a node that stores it. A Code node keeps its file in memory. n8n stores no file while N8N_DEFAULT_BINARY_DATA_MODE is "default".',
    );
  }
  const sha256 = mayJoin ? await digestOf(await context.helpers.getBinaryStream(binary.id)) : undefined;
  return {
    source: context.helpers.createBinarySignedUrl(binary),
    copyFirst: true,
    ...given({ bytes: numberField(binary.bytes, 'bytes'), sha256 }),
  };
}

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}
