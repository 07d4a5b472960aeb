import { fileNameOfUrl } from '../source-label';
import type { HttpSource, PinnedSource } from '../source';
import { contentOf, HEAD_BYTES, headOf } from '../source-content';
import type { SourceAccess } from '../source-access';
import type { SourceFacts } from '../source-kind';
import { mimeTypeOfHeader } from '../../request/file-type';
import { getSource } from './http-request';
import { httpFingerprint, httpIdentity, versionOf } from './http-version';
import { secretHeadersOf } from './secret-headers';

/**
 * Pins an http source by requesting its first bytes, because a pre-signed GET refuses HEAD. `needs-spool`: it supports
 * no Range, reports no size, or has neither a strong ETag nor a Last-Modified. Rejects as `getSource` does.
 */
export async function pinHttpSource(
  access: SourceAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<PinnedSource | 'needs-spool'> {
  const { url, status, headers, head } = await firstBytes(access, source, signal);
  const version = versionOf(status, headers);
  const fingerprint = httpFingerprint(version);
  const { bytes } = version;
  const readable = bytes === 0 || (status === 206 && fingerprint !== undefined);
  if (bytes === undefined || !readable) return 'needs-spool';
  const content = contentOf(head, headers);
  return { source, bytes, fingerprint: fingerprint ?? '', content, ...namesOf(source, url, headers) };
}

/** Returns what a URL's server reports, and copies nothing. Rejects as `getSource` does. */
export async function httpFacts(
  access: SourceAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<SourceFacts> {
  const { status, headers } = await firstBytes(access, source, signal);
  const version = versionOf(status, headers);
  return { bytes: version.bytes, identity: httpIdentity(version) };
}

async function firstBytes(
  access: SourceAccess,
  source: HttpSource,
  signal?: AbortSignal,
): Promise<{
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly head: Uint8Array;
}> {
  const url = access.unseal(source.url);
  const secret = await secretHeadersOf(access, source);
  const request = { url, secret, headers: { range: `bytes=0-${HEAD_BYTES - 1}` }, signal };
  const { status, headers, body } = await getSource(access, request);
  return { url, status, headers, head: await headOf(body) };
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

function dispositionName(header: string | undefined): string | undefined {
  const encoded = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(header ?? '')?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;]+))/i.exec(header ?? '');
  const name =
    (encoded === undefined ? undefined : decoded(encoded.trim())) ?? plain?.[1] ?? plain?.[2]?.trim();
  return name === '' ? undefined : name;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
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
