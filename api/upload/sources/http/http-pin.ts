import { isUtf8 } from 'node:buffer';
import { decodeExtended, parse } from 'content-disposition';
import { fileNameOfUrl } from '../source-label';
import type { HttpSource, PinnedSource } from '../source';
import { contentOf, HEAD_BYTES, headOf } from '../source-content';
import type { SourceAccess } from '../source-access';
import type { SourceFacts } from '../source-kind';
import { mimeTypeOfHeader } from '../../request/file-type';
import { getSource } from './http-request';
import { firstOf, httpFingerprint, httpIdentity, versionOf } from './http-version';
import type { HttpVersion } from './http-version';
import { secretHeadersOf } from './secret-headers';

/** Why a URL can't be read in parts. */
interface NeedsSpool {
  readonly cause: string;
}

/**
 * Pins an http source by requesting its first bytes, because a pre-signed GET refuses HEAD. It needs the spool folder
 * if it supports no Range, reports no size, or has neither a strong ETag nor a Last-Modified. Rejects as `getSource`
 * does.
 */
export async function pinHttpSource(
  access: SourceAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<PinnedSource | NeedsSpool> {
  const first = await bytesFrom(0, { access, source, signal });
  const { url, headers, version, head } = first;
  const { bytes } = version;
  const fingerprint = httpFingerprint(version);
  if (bytes === undefined) return { cause: 'its server reports no size' };
  if (bytes > 0 && fingerprint === undefined)
    return { cause: 'its server sends neither a strong ETag nor Last-Modified' };
  if (!first.isRange && bytes > HEAD_BYTES) {
    // Some servers answer only ranges from the beginning with the whole content.
    const second = await bytesFrom(HEAD_BYTES, { access, source, signal });
    if (!second.isRange || httpFingerprint(second.version) !== fingerprint)
      return { cause: `its server answers a range with the whole content (${first.status})` };
  }
  const content = contentOf(head, headers);
  return { source, bytes, fingerprint: fingerprint ?? '', content, ...namesOf(source, url, headers) };
}

/** Returns what a URL's server reports, and copies nothing. Rejects as `getSource` does. */
export async function httpFacts(
  access: SourceAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<SourceFacts> {
  const { version } = await bytesFrom(0, { access, source, signal });
  return { bytes: version.bytes, identity: httpIdentity(version) };
}

interface SomeBytes {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly version: HttpVersion;
  /** Whether the answer is a range, and not the whole content. */
  readonly isRange: boolean;
  readonly head: Uint8Array;
}

interface Reading {
  readonly access: SourceAccess;
  readonly source: HttpSource;
  readonly signal: AbortSignal | undefined;
}

async function bytesFrom(offset: number, { access, source, signal }: Reading): Promise<SomeBytes> {
  const url = access.unseal(source.url);
  const secret = await secretHeadersOf(access, source);
  const range = `bytes=${offset}-${offset + HEAD_BYTES - 1}`;
  const { status, headers, body } = await getSource(access, { url, secret, headers: { range }, signal });
  const version = versionOf(status, headers);
  const isRange = 'content-range' in headers && firstOf(status, headers) === offset;
  return { url, status, headers, version, isRange, head: await headOf(body) };
}

/** Returns file name and MIME type: from the starter, else from the server, else from the address. */
export function namesOf(
  source: HttpSource,
  url: string,
  headers: Readonly<Record<string, string>>,
): { fileName: string; mimeType?: string } {
  const fileName =
    source.fileName ?? dispositionName(headers['content-disposition']) ?? fileNameOfUrl(url) ?? 'file';
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
  return bytes.toString('latin1') === header && isUtf8(bytes) ? bytes.toString() : header;
}

/** Keeps only the name of a remote file, never a path. */
function lastPart(name: string): string {
  return (
    name
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\p{Cc}/gu, '') || 'file'
  );
}
