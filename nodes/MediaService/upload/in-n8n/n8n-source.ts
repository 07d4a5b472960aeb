import { BINARY_ENCODING } from 'n8n-workflow';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import type { MediaServiceError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import { systemClock } from '../../../../api/clock';
import { POLL_RETRY_FOR_MS } from '../../../../api/upload/direct/reach';
import { withRetries } from '../../../../api/retry';
import { folderOf } from '../../../../files/allowed-path';
import { spoolFile, sweepSpool } from '../../../../files/sources/spool-file';
import type { SourceDescriptor } from '../../../../api/upload/sources/source';
import type { SourceSettings } from '../../../../settings/source-settings';
import type { N8nSpool } from '../../../../settings/n8n-spool';
import { numberField } from '../../parameters';
import { itemBinary, pathSource, urlSource } from '../item-source';
import { prepareSpool } from './prepare-spool';
import type { KnownFile } from '../fields/item-upload';

/** The file of one item, as n8n's own process can read it. */
interface N8nSource extends KnownFile {
  readonly source: SourceDescriptor;
  /** Folders that may contain this source. */
  readonly roots: readonly string[];
}

interface N8nSourceRequest {
  readonly context: IExecuteFunctions;
  readonly itemIndex: number;
  readonly settings: SourceSettings;
  /** The folder for copies of binary data that n8n can't read in ranges. */
  readonly spool: N8nSpool;
  readonly signal: AbortSignal | undefined;
  /** Called when a copy has no space and is retried. */
  readonly onRetry?: (error: MediaServiceError) => void;
}

/**
 * Reads the source's parameters. Binary data in a file is read there. Data that n8n keeps in memory, in a database or
 * in S3 is copied once to a private file, which the upload removes at its end. Paths are allowed only in
 * MEDIA_SERVICE_FILE_ROOTS.
 */
export async function n8nSource(request: N8nSourceRequest): Promise<N8nSource> {
  const { context, itemIndex, settings } = request;
  const kind: unknown = context.getNodeParameter('source', itemIndex);
  if (kind === 'binary') return binarySource(request);
  if (kind !== 'path') return { source: urlSource(context, itemIndex), roots: [] };
  const source = pathSource(context, itemIndex);
  return { source: { ...source, host: settings.host }, roots: settings.fileRoots ?? [] };
}

async function binarySource(request: N8nSourceRequest): Promise<N8nSource> {
  const { context, itemIndex, settings, spool, signal, onRetry } = request;
  const { binary, field } = itemBinary(context, itemIndex);
  const bytes = binary.id === undefined ? undefined : numberField(binary.bytes, 'bytes');
  if (bytes === 0 || (binary.id === undefined && binary.data === '')) throw emptyBinary(field);
  const known = given({ fileName: binary.fileName, mimeType: binary.mimeType });
  const fileName = binary.fileName ?? field;
  const file = binary.id === undefined ? '' : context.helpers.getBinaryPath(binary.id);
  const folder = folderOf(file);
  if (folder !== undefined) {
    const source = { kind: 'path', path: file, host: settings.host, fileName } as const;
    return { source, roots: [folder], ...known };
  }
  const label = `the binary field "${field}"`;
  const spoolDir = spool.dir;
  await prepareSpool(spool);
  await sweepSpool({ spoolDir, now: Date.now() });
  const waiting = { clock: systemClock, signal, retryForMs: POLL_RETRY_FOR_MS, ...given({ onRetry }) };
  const { source } = await oneByOne(() =>
    withRetries(waiting, () =>
      spoolFile({ spoolDir, content: contentOf(context, binary), label, expected: bytes, signal }),
    ),
  );
  return { source: { ...source, host: settings.host, fileName }, roots: [], ...known };
}

let copied: Promise<unknown> = Promise.resolve();

/** n8n reads a file in its database as a whole into memory, so only one is copied at a time. */
function oneByOne<T>(copy: () => Promise<T>): Promise<T> {
  const copying = copied.then(copy);
  copied = copying.catch(() => undefined);
  return copying;
}

async function* contentOf(
  { helpers }: IExecuteFunctions,
  { id, data }: IBinaryData,
): AsyncGenerator<Uint8Array> {
  if (id === undefined) yield Buffer.from(data, BINARY_ENCODING);
  else yield* await helpers.getBinaryStream(id);
}

function emptyBinary(field: string): ValidationError {
  return new ValidationError(
    'binaryPropertyName',
    `The file in the binary field "${field}" is empty`,
    'An upload needs at least one byte: check the node that made it.',
  );
}
