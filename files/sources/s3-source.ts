import path from 'node:path';
import type { Pinned, PinnedSource, S3Source, SourceReader } from '../../api/upload/sources/source';
import { claimKept } from './release-source';
import type { SetUpAccess, SourceAccess } from './source-access';
import { given } from '../../api/json';
import { s3Address, sourceChanged } from '../../api/upload/sources/source';
import { versionDifference } from '../s3/s3-objects';
import type { S3Objects } from '../s3/s3-client';
import type { S3Version } from '../s3/s3-objects';
import { mimeTypeOf, mimeTypeOfHeader, contentOf, HEAD_BYTES, headOf } from '../../api/upload/file-type';
import { ConfigurationError, MediaServiceError } from '../../api/errors';

/**
 * Reads ranges of a pinned object, each only if the object is still the pinned version. A connection that ends early
 * rejects with a `TransportError`, which can be retried.
 */
export function openS3Source(access: SourceAccess, pinned: Pinned<S3Source>): SourceReader {
  const { source } = pinned;
  const version = pinnedVersion(pinned);
  return {
    read: (offset, length, signal) =>
      requireS3(access, source).read(source, {
        range: { offset, length },
        signal,
        version,
      }),
    async requireUnchanged(end, signal) {
      if (end < pinned.bytes || source.versionId !== undefined) return;
      // The bytes that were sent had the pinned version, whatever became of the object.
      const now = await requireS3(access, source)
        .facts(source, signal)
        .catch(() => undefined);
      const difference = now && versionDifference(version, now);
      if (difference !== undefined) throw sourceChanged(s3Address(source), difference);
    },
  };
}

/**
 * Pins an object: its size and ETag (or else the time of its last write). If its bucket keeps versions, it pins the
 * version too, so that the upload continues with it whatever is written meanwhile. Rejects as `S3Objects` does.
 */
export async function pinS3Source(
  access: SourceAccess,
  source: S3Source,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const facts = await requireS3(access, source).facts(source, signal);
  await claimKept(access, source);
  const fileName = path.posix.basename(source.key);
  const mimeType = mimeTypeOfHeader(facts.mimeType) ?? mimeTypeOf(path.posix.extname(source.key));
  const pinned = {
    source: facts.versionId === undefined ? source : { ...source, versionId: facts.versionId },
    bytes: facts.bytes,
    fingerprint: s3Fingerprint(facts),
    fileName,
    ...(mimeType === undefined ? {} : { mimeType }),
  };
  if (facts.bytes === 0) return pinned;
  const range = { offset: 0, length: Math.min(facts.bytes, HEAD_BYTES) };
  const version = pinnedVersion(pinned);
  const head = await headOf(requireS3(access, source).read(pinned.source, { range, signal, version }));
  return { ...pinned, content: contentOf(head, { 'content-type': facts.mimeType }) };
}

const PINNED = /^s3;bytes=(\d+)(?:;etag=(.+)|;modified=(.+))?$/s;

/** Without an ETag, only the time of the last write shows new content of the same size. */
function s3Fingerprint({ bytes, eTag, modified }: S3Version): string {
  if (eTag !== undefined) return `s3;bytes=${bytes};etag=${eTag}`;
  return `s3;bytes=${bytes}${modified === undefined ? '' : `;modified=${modified}`}`;
}

/** Returns the version that every read of a pinned object must match, as far as the store reports it. */
function pinnedVersion({
  fingerprint,
  bytes,
  source,
}: PinnedSource & { readonly source: S3Source }): S3Version {
  const [, , eTag, modified] = PINNED.exec(fingerprint) ?? [];
  const { versionId } = source;
  return {
    bytes,
    ...given({ eTag, modified, versionId }),
  };
}

/** Rejects with `Configuration` if S3 is not set up here. Any other problem of the object is left to its upload. */
export async function requireS3SetUp(
  access: SetUpAccess,
  source: S3Source,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await requireS3(access, source).facts(source, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof MediaServiceError) || error.code === 'Configuration') throw error;
  }
}

function requireS3({ s3 }: Pick<SourceAccess, 's3'>, source: S3Source): S3Objects {
  if (s3 !== undefined) return s3;
  throw new ConfigurationError(
    's3',
    `${s3Address(source)} can't be read here: only workers read S3`,
    'Upload through Temporal, or give a pre-signed https address of the object.',
  );
}
