import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { given, textAt } from '../../../api/json';
import type { Door } from '../access/door';
import { fieldsOf, fileNameField, requiredText, textField } from '../parameters';
import type { KnownFile } from './fields/item-upload';
import { itemFile, urlSource } from './item-source';
import type { ItemFile } from './item-source';

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
  readonly door: Door;
}

/** The file of one item. `known`: what n8n itself knows about it. */
export async function doorSource(
  request: DoorSourceRequest,
): Promise<DoorSource & { readonly known: KnownFile }> {
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
  const file = itemFile({ context, itemIndex });
  const { binary, field } = file;
  const known = { ...given({ fileName: binary.fileName, mimeType: binary.mimeType }), ...name };
  return { ...(await binarySource(request, file, known.fileName ?? field)), ...known, known };
}

/** The machine of a path. Empty: that of the worker that answers. */
export function workerHost(
  context: IExecuteFunctions,
  itemIndex: number,
): Pick<DoorSource, 'sourceHost' | 'sharedPath'> {
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
): Promise<DoorSource> {
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
