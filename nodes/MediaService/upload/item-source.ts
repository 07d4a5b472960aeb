import { createHash } from 'node:crypto';
import { BINARY_ENCODING } from 'n8n-workflow';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { ConfigurationError, ValidationError } from '../../../api/errors';
import { given, isRecord } from '../../../api/json';
import { labelOf } from '../../../api/upload/sources/source';
import type { HttpSource, PathSource, SourceDescriptor } from '../../../api/upload/sources/source';
import { handOverFile } from '../../../files/sources/hand-over-file';
import { readSourceSettings } from '../../../settings/source-settings';
import { fieldLabel } from '../../../n8n/field-labels';
import { numberField, textField } from '../parameters';
import { refuseUnreadable } from './in-n8n/database-limit';
import type { KnownFile } from './fields/item-upload';

/** The file of one item, in the form that the worker gets. */
interface ItemSource extends KnownFile {
  readonly source: SourceDescriptor;
  /** Undoes the hand-over if no upload uses the file. */
  readonly takeBack: () => Promise<void>;
}

interface ItemSourceRequest {
  readonly context: IExecuteFunctions;
  readonly itemIndex: number;
  /** Folder that n8n and the workers share. Unset: none. */
  readonly sharedFolder?: string | undefined;
  /** Another execution may start the same upload, and then the contents are compared. */
  readonly mayJoin: boolean;
}

/** Where the source will be read: on one machine, or by any worker. Known before anything is handed over. */
export function plannedSource(context: IExecuteFunctions, itemIndex: number): SourceDescriptor {
  const isPath = context.getNodeParameter('source', itemIndex) === 'path';
  return isPath ? pathSource(context, itemIndex) : { kind: 'http', url: '', label: '' };
}

/** Reads the source's parameters, and hands binary data over to a location that the worker can read. */
export async function itemSource(request: ItemSourceRequest): Promise<ItemSource> {
  const { context, itemIndex } = request;
  const kind: unknown = context.getNodeParameter('source', itemIndex);
  if (kind === 'binary') return binarySource(request);
  const source = kind === 'path' ? pathSource(context, itemIndex) : urlSource(context, itemIndex);
  return { source, takeBack: nothing };
}

/** The file with the name from the form, or with its own name. */
export function withFileName<T extends KnownFile & { readonly source: SourceDescriptor }>(
  file: T,
  fileName: string | undefined,
): T {
  return fileName === undefined ? file : { ...file, fileName, source: { ...file.source, fileName } };
}

export function pathSource(context: IExecuteFunctions, itemIndex: number): PathSource {
  const path = requiredText(context, 'path', itemIndex);
  const host = textField(context.getNodeParameter('host', itemIndex, ''), 'Worker Host');
  return { kind: 'path', path, ...given({ host }) };
}

export function urlSource(context: IExecuteFunctions, itemIndex: number): HttpSource<string> {
  const url = requiredText(context, 'url', itemIndex);
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new ValidationError('url', '"URL" must start with http:// or https://', 'Enter the full address.');
  }
  return { kind: 'http', url, label: labelOf(url) };
}

async function binarySource(request: ItemSourceRequest): Promise<ItemSource> {
  const { context, itemIndex, sharedFolder } = request;
  const { binary, field } = itemBinary(context, itemIndex);
  const known = given({ fileName: binary.fileName, mimeType: binary.mimeType });
  if (sharedFolder !== undefined) {
    const { fileRoots = [] } = readSourceSettings();
    const { source, takeBack } = await handOverFile({
      folder: sharedFolder,
      roots: fileRoots,
      fileName: binary.fileName ?? field,
      open: () => contentOf(context, binary),
      signal: context.getExecutionCancelSignal(),
    });
    return { source, ...known, takeBack };
  }
  return { source: await signedUrlSource(request, binary), ...known, takeBack: nothing };
}

/** The item's binary data, by the name of its field or by an expression that gives the file itself. */
export function itemBinary(
  context: IExecuteFunctions,
  itemIndex: number,
): { readonly binary: IBinaryData; readonly field: string } {
  const value: unknown = context.getNodeParameter('binaryPropertyName', itemIndex);
  const isFile = isRecord(value) && typeof value['mimeType'] === 'string';
  const field = isFile ? 'data' : requiredText(context, 'binaryPropertyName', itemIndex);
  const binary = context.helpers.assertBinaryData(
    itemIndex,
    isFile ? (value as unknown as IBinaryData) : field,
  );
  refuseUnreadable(binary);
  return { binary, field };
}

/**
 * n8n's signed URL of the file. It does not support Range and expires after a day, so the worker copies the file at
 * once.
 */
async function signedUrlSource(
  { context, mayJoin }: ItemSourceRequest,
  binary: IBinaryData,
): Promise<SourceDescriptor> {
  if (binary.id === undefined) {
    throw new ConfigurationError(
      'sharedFolder',
      'n8n keeps this file in memory: no worker can fetch it',
      'Set "Shared Folder" in the "Temporal API" credential to a folder that n8n and the workers mount, or take the file from a node that stores it. A Code node keeps its file in memory. n8n stores no file while N8N_DEFAULT_BINARY_DATA_MODE is "default".',
    );
  }
  const url = context.helpers.createBinarySignedUrl(binary);
  const bytes = numberField(binary.bytes, 'bytes');
  const { fileName, mimeType } = binary;
  // The digest needs a second read, so it is made only for an upload that may be joined.
  const digest = mayJoin ? await digestOf(await contentOf(context, binary)) : undefined;
  const known = given({ fileName, bytes, digest });
  return { kind: 'http', url, label: labelOf(url), spool: true, mimeType, ...known };
}

async function contentOf(
  context: IExecuteFunctions,
  binary: IBinaryData,
): Promise<AsyncIterable<Uint8Array>> {
  if (binary.id !== undefined) return context.helpers.getBinaryStream(binary.id);
  return once(Buffer.from(binary.data, BINARY_ENCODING));
}

async function digestOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function requiredText(context: IExecuteFunctions, name: string, itemIndex: number): string {
  const label = fieldLabel(name) ?? name;
  const text = textField(context.getNodeParameter(name, itemIndex), label);
  if (text !== undefined) return text;
  throw new ValidationError(
    name,
    `"${label}" is empty for this item`,
    'Fill it in, or check its expression.',
  );
}

const nothing = (): Promise<void> => Promise.resolve();
