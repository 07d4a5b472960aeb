import { decodeExtended, parse } from 'content-disposition';
import { TransportError } from '../../../errors';
import { discardBody } from '../../../answers/read-answer';
import type { HttpAnswer } from '../../../transport/transport';
import { fileNameOfUrl, remoteFingerprint, requireVersion, sourceChanged, versionChanged } from '../source';
import type { HttpSource, Pinned, PinnedSource, SourceReader } from '../source';
import { firstOf, getSource, versionOf } from './http-request';
import type { HttpAccess } from './http-request';
import { contentOf, HEAD_BYTES, headOf, mimeTypeOfHeader } from '../../file-type';

/**
 * Reads ranges of a pinned http source, and compares each answer's version with the pin. No request has If-Match: some
 * servers refuse their own ETag in it, and the comparison shows the same. A connection that ends early rejects with a
 * `TransportError`, which can be retried.
 */
export function openHttpSource(access: HttpAccess, pinned: Pinned<HttpSource>): SourceReader {
  const { source, fingerprint } = pinned;
  const { label } = source;
  return {
    async *read(offset, length, signal) {
      const range = `bytes=${offset}-${offset + length - 1}`;
      const answer = await getSource(access, source, { range, signal });
      await refuseOther(answer, pinned, offset);
      let read = 0;
      for await (const chunk of answer.body) {
        // A server may send more than the range.
        const piece = chunk.subarray(0, length - read);
        read += piece.byteLength;
        if (piece.byteLength > 0) yield piece;
        if (piece.byteLength < chunk.byteLength) break;
      }
      if (read < length) {
        throw new TransportError(`the source ${label} ended after ${read} of ${length} bytes`, {
          operation: 'source',
          outcome: 'ambiguous',
        });
      }
    },
    async requireUnchanged(end, signal) {
      if (end < pinned.bytes) return;
      const look = async (): Promise<string | undefined> =>
        remoteFingerprint('http', (await bytesFrom(0, { access, source, signal })).version);
      await requireVersion(label, fingerprint, look);
    },
  };
}

async function refuseOther(
  { status, headers, body }: HttpAnswer,
  { fingerprint, source: { label } }: Pinned<HttpSource>,
  offset: number,
): Promise<void> {
  const seen = remoteFingerprint('http', versionOf(status, headers));
  const first = firstOf(status, headers);
  if (seen === fingerprint && first === offset) return;
  await discardBody(body);
  if (seen !== fingerprint) throw versionChanged(label, fingerprint, seen);
  const isWhole = first === 0 && status === 200;
  const what = isWhole
    ? 'answered a range with the whole content'
    : 'sent a different range than the one requested';
  throw sourceChanged(label, `its server ${what} (${status})`);
}

/**
 * Pins an http source by requesting its first bytes, because a pre-signed GET refuses HEAD. It needs the spool folder
 * if it supports no Range, reports no size, or has neither a strong ETag nor a Last-Modified; `cause` says which.
 * Rejects as `getSource` does.
 */
export async function pinHttpSource(
  access: HttpAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<PinnedSource | { readonly cause: string }> {
  const first = await bytesFrom(0, { access, source, signal });
  const { headers, version, head } = first;
  const { bytes, eTag, modified } = version;
  const fingerprint = remoteFingerprint('http', version);
  if (bytes === undefined || fingerprint === undefined) return { cause: 'its server reports no size' };
  if (bytes > 0 && eTag === undefined && modified === undefined)
    return { cause: 'its server sends neither a strong ETag nor Last-Modified' };
  if (!first.isRange && bytes > HEAD_BYTES) {
    // Some servers answer only ranges from the beginning with the whole content.
    const second = await bytesFrom(HEAD_BYTES, { access, source, signal });
    if (!second.isRange || remoteFingerprint('http', second.version) !== fingerprint)
      return { cause: `its server answers a range with the whole content (${first.status})` };
  }
  const content = contentOf(head, headers);
  return { source, bytes, fingerprint, content, ...namesOf(access, source, headers) };
}

interface Reading {
  readonly access: HttpAccess;
  readonly source: HttpSource;
  readonly signal: AbortSignal | undefined;
}

async function bytesFrom(offset: number, { access, source, signal }: Reading) {
  const range = `bytes=${offset}-${offset + HEAD_BYTES - 1}`;
  const { status, headers, body } = await getSource(access, source, { range, signal });
  const version = versionOf(status, headers);
  // Whether the answer is a range, and not the whole content.
  const isRange = 'content-range' in headers && firstOf(status, headers) === offset;
  return { status, headers, version, isRange, head: await headOf(body) };
}

/** Returns file name and MIME type: from the starter, else from the server, else from the address. */
export function namesOf(
  access: Pick<HttpAccess, 'unseal'>,
  source: HttpSource,
  headers: Readonly<Record<string, string>>,
): { fileName: string; mimeType?: string } {
  const fileName =
    source.fileName ??
    dispositionName(headers['content-disposition']) ??
    fileNameOfUrl(access.unseal(source.url, source.label)) ??
    'file';
  const mimeType = source.mimeType ?? mimeTypeOfHeader(headers['content-type']);
  return { fileName: lastPart(fileName), ...(mimeType === undefined ? {} : { mimeType }) };
}

/** Reads also a header without its type, and a quoted `filename*`. */
function dispositionName(header = ''): string | undefined {
  const { parameters } = parse(`;${asSent(header)}`, { extended: false });
  const name = decodeExtended(parameters['filename*'] ?? '') ?? parameters['filename'];
  return name === '' ? undefined : name;
}

/** The transport reads each byte of a header as a character; servers send UTF-8 or ISO-8859-1. */
function asSent(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  const text = bytes.toString();
  return bytes.toString('latin1') === header && !text.includes('\uFFFD') ? text : header;
}

/** Keeps only the name of a remote file, never a path. */
function lastPart(name: string): string {
  return name.replace(/^.*[/\\]|\p{Cc}/gsu, '') || 'file';
}
