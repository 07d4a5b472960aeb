import type { IExecuteFunctions } from 'n8n-workflow';
import { MediaServiceError, ValidationError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import type { Transport } from '../../../../api/transport/transport';
import type { DirectSteps } from '../../../../api/upload/engine/direct-steps';
import { getSource, versionOf } from '../../../../api/upload/sources/http/http-request';
import { namesOf, openHttpSource, pinHttpSource } from '../../../../api/upload/sources/http/http-source';
import { contentOf } from '../../../../api/upload/file-type';
import type { HttpSource, PinnedSource, UploadSources } from '../../../../api/upload/sources/source';
import type { PartResult } from '../../../../api/upload/types';
import { itemFile, urlSource } from '../item-source';
import { StreamedFile, STREAMED_PART_BYTES } from './streamed-file';

/** The file of one item, as n8n's own process reads it. */
export interface N8nSource {
  readonly source: HttpSource<string>;
  readonly sources: Omit<UploadSources, 'transport'>;
  /** A file that is sent from memory. Undefined: it is read in ranges while its parts are sent. */
  readonly streamed: () => StreamedFile | undefined;
}

/** The same steps, with each part of a streamed file in memory before its PUT begins. */
export function throughMemory(steps: DirectSteps, { streamed }: N8nSource): DirectSteps {
  return {
    ...steps,
    openPartScope() {
      const scope = steps.openPartScope();
      const stop = streamed()?.beginSession();
      return {
        ...scope,
        cancel() {
          stop?.();
          scope.cancel();
        },
      };
    },
    sendPart(part) {
      const send = (): Promise<PartResult> => steps.sendPart(part);
      return streamed()?.inMemory(part, send) ?? send();
    },
  };
}

interface Reading {
  readonly context: IExecuteFunctions;
  readonly itemIndex: number;
  readonly transport: Transport;
  /** Aborts when the execution is cancelled. */
  readonly signal: AbortSignal | undefined;
  /** Unset: the file keeps its own name. */
  readonly fileName: string | undefined;
}

/** Binary data, or the file behind a URL. Nothing is written to disk. */
export function n8nSource(reading: Reading): N8nSource {
  const kind: unknown = reading.context.getNodeParameter('source', reading.itemIndex);
  if (kind === 'path') {
    throw new ValidationError(
      'source',
      'n8n reads no path of its disk',
      'Choose "Run Upload In: Worker", or read the file with a Read/Write Files from Disk node and upload its binary data.',
    );
  }
  return kind === 'binary' ? binarySource(reading) : httpSource(reading);
}

function binarySource({ context, itemIndex, signal, fileName }: Reading): N8nSource {
  const { binary, field, open, bytes: bytesOf } = itemFile(context, itemIndex);
  const { mimeType } = binary;
  const label = `the binary field "${field}"`;
  const file = new StreamedFile(label, open, signal);
  // The engine knows files by their address; this one has none.
  const source = { kind: 'http', url: '', label } as const;
  const pin = async (): Promise<PinnedSource> => {
    const bytes = await bytesOf();
    if (bytes === 0) throw emptyBinary(field);
    const name = fileName ?? binary.fileName ?? field;
    return pinnedStream(file, { source, bytes, fileName: name, ...given({ mimeType }) });
  };
  return {
    source,
    sources: { pin, open: () => file.reader, release: nothing },
    streamed: () => file,
  };
}

/**
 * A URL is read in ranges while its parts are sent. If its server can't do that, it is read once, through memory.
 */
function httpSource({ context, itemIndex, transport, signal, fileName }: Reading): N8nSource {
  const source = { ...urlSource(context, itemIndex), ...given({ fileName }) };
  // n8n's helper refuses addresses by n8n's own rules.
  const access = { transport, unseal: String, checkHost: undefined };
  let file: StreamedFile | undefined;
  const pin = async (_source: unknown, pinning?: AbortSignal): Promise<PinnedSource> => {
    const pinned = await pinHttpSource(access, source, pinning);
    if ('source' in pinned) return pinned;
    const get = (): ReturnType<typeof getSource> => getSource(access, source, { signal });
    const { status, headers, body } = await get();
    let first: AsyncIterable<Uint8Array> | undefined = body;
    file?.close();
    file = new StreamedFile(
      `the source ${source.label}`,
      async () => {
        const opened = first ?? (await get()).body;
        first = undefined;
        return opened;
      },
      signal,
    );
    const bytes = versionOf(status, headers).bytes ?? (await file.sizeUpTo(STREAMED_PART_BYTES));
    if (bytes === undefined) throw unsized(source.label);
    return pinnedStream(file, { source, bytes, ...namesOf(access, source, headers) }, headers);
  };
  return {
    source,
    sources: {
      pin,
      open: (pinned) => file?.reader ?? openHttpSource(access, { ...pinned, source }),
      release: nothing,
    },
    streamed: () => file,
  };
}

async function pinnedStream(
  file: StreamedFile,
  known: Omit<PinnedSource, 'fingerprint'>,
  headers?: Readonly<Record<string, string>>,
): Promise<PinnedSource> {
  const content = contentOf(await file.head(), headers);
  const fingerprint = `stream;bytes=${known.bytes}`;
  return { ...known, fingerprint, content, partMemoryBytes: STREAMED_PART_BYTES };
}

const nothing = (): Promise<void> => Promise.resolve();

function emptyBinary(field: string): ValidationError {
  return new ValidationError(
    'binaryPropertyName',
    `The file in the binary field "${field}" is empty`,
    'An upload needs at least one byte: check the node that made it.',
  );
}

function unsized(label: string): MediaServiceError {
  return new MediaServiceError(
    'SourceMissing',
    `the source ${label} has more than ${STREAMED_PART_BYTES} bytes, and its server reports no size`,
    {
      field: 'source.url',
      outcome: 'unsent',
      hint: 'Download it with an HTTP Request node (Response Format: File), and upload its binary data; or run the upload on a worker.',
    },
  );
}
