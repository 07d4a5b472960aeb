import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/canonical-json';
import type { HttpSource, SourceDescriptor } from '../../api/upload/sources/source';
import type { UploadRequest } from '../../api/upload/request/upload-request';

/**
 * Digests of what an upload means: its source, media and metadata; how it is sent (the options) is left out. Two requests of equal
 * meaning give the same text whatever the order of their fields. URLs count without their query, since pre-signed ones differ each
 * time (a sealed one by its label alone), handed-over files by name and size, since each hand-over makes a new path or query.
 */
export function inputDigest({ source, media, metadata }: UploadRequest): string {
  const parts = { source: meaningOf(source), media, metadata: metadata ?? {} };
  return Object.entries(parts)
    .map(([name, value]) => `${name}:${hash(canonicalJson(value))}`)
    .join(' ');
}

/** Names of the parts in which two digests differ; all three where one of them is missing. */
export function differingParts(mine: string, theirs: string | undefined): string[] {
  const known = new Set((theirs ?? '').split(' '));
  return mine
    .split(' ')
    .filter((part) => !known.has(part))
    .map((part) => part.slice(0, part.indexOf(':')));
}

function meaningOf(source: SourceDescriptor): unknown {
  if (source.kind === 's3') return [source.kind, source.bucket, source.key, source.versionId];
  const handedOver = [source.fileName, source.bytes];
  if (source.kind === 'http') return [source.kind, addressOf(source), ...handedOver];
  return source.deleteAfter === true ? [source.kind, ...handedOver] : [source.kind, source.path, source.host];
}

function addressOf({ url, label }: HttpSource): string {
  if (typeof url !== 'string' || !URL.canParse(url)) return label;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
