import { MediaServiceError } from '../../api/errors';
import type { HttpAccess } from '../../api/upload/sources/http/http-request';
import { httpFacts, openHttpSource } from '../../api/upload/sources/http/http-source';
import { secretHeadersOf } from '../../api/upload/sources/http/secret-headers';
import type {
  PinnedSource,
  S3Source,
  SourceDescriptor,
  SourceFacts,
  SourceReader,
  UploadSources,
} from '../../api/upload/sources/source';
import { sourceIdentity } from '../../api/upload/sources/source-identity';
import { isOurs, pathOfSource } from '../../api/upload/sources/source-rules';
import type { S3Objects } from '../s3/s3-objects';
import { checkSourceHost } from './allowed-host';
import { releaseOwn } from './release-source';
import { openPath, pinPath } from './path-source';
import { openS3Source, pinS3Source, requireS3SetUp } from './s3-source';
import { pinOrSpool } from './spool-url';

/** What this process may read, and how. */
export interface SourceAccess extends Omit<HttpAccess, 'checkHost'> {
  /** Loopback and private hosts that http sources may use, as `host` or `host:port`. Public hosts need no entry. */
  readonly sourceHosts: readonly string[];
  /** Absolute folders that may contain path sources. Empty: no path source is allowed. */
  readonly roots: readonly string[];
  /** Throws unless the object's `deleteProof` is valid. Unset: this process can't check it, and deletes no object. */
  proveOwn?(object: S3Source): void;
  /** The folder for copies of sources without Range. Unset: such sources are refused. */
  readonly spoolDir?: string;
  /** Name of this machine in task queues, so that only its workers read its copies. Unset outside of Temporal. */
  readonly host?: string;
  /** Unset: S3 sources are refused. */
  readonly s3?: S3Objects;
}

/** Sources are read only from hosts that `checkSourceHost` allows. */
export type CheckedAccess = SourceAccess & HttpAccess;

function withHostCheck(access: SourceAccess): CheckedAccess {
  const { sourceHosts, transport } = access;
  return { ...access, checkHost: (url) => checkSourceHost(url, sourceHosts, transport.isProxied?.(url)) };
}

export type SetUpAccess = Pick<SourceAccess, 's3' | 'secrets'>;
export type ReleaseAccess = Pick<SourceAccess, 'spoolDir' | 'proveOwn' | 's3'>;

/** For uploads in this process. */
export function sourcesOf(access: SourceAccess): UploadSources {
  return {
    transport: access.transport,
    pin: (source, signal) => pinSource(access, source, signal),
    open: (pinned) => openSource(access, pinned),
    release: (source) => releaseSource(access, source),
  };
}

/**
 * Fixes what a source is: size, fingerprint, name. Some URLs are copied to the spool folder, and the copy is pinned:
 * those that support no Range, report no size, or have neither ETag nor Last-Modified.
 *
 * Rejects with `SourceMissing`, `SourceNotAllowed`, or `Validation` for a source without bytes. If a spool folder is
 * needed and none is set, it rejects with a `ConfigurationError` that names both ways out. For S3 it rejects as
 * `S3Objects` does.
 */
export async function pinSource(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  const pinned = await pinAnySize(access, source, signal);
  if (pinned.bytes > 0) return pinned;
  const path = pathOfSource(source);
  const name = path === undefined ? `the source ${pinned.fileName}` : `the file ${path}`;
  throw new MediaServiceError('Validation', `${name} is empty`, {
    field: 'source',
    outcome: 'unsent',
    hint: 'An upload needs at least one byte. Check that the file was written completely.',
  });
}

/** The same for sources that are not uploaded: they may be empty, with nothing to read. */
export async function pinAnySize(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<PinnedSource> {
  switch (source.kind) {
    case 'path':
      return pinPath(access, source);
    case 'http':
      return pinOrSpool(withHostCheck(access), source, signal);
    case 's3':
      return pinS3Source(access, source, signal);
  }
}

/** Returns a source's size and identity as far as they are known, and copies nothing. Rejects as `pinAnySize` does. */
export async function readSourceFacts(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<SourceFacts> {
  if (source.kind === 'http') return httpFacts(withHostCheck(access), source, signal);
  const pinned = await pinAnySize(access, source, signal);
  return { bytes: pinned.bytes, identity: sourceIdentity(pinned) };
}

/** Rejects with `Configuration` if this process lacks a setting or secret that sources like this one need. */
export async function requireSetUp(
  access: SetUpAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<void> {
  if (source.kind === 'http') await secretHeadersOf(access, source);
  if (source.kind === 's3') await requireS3SetUp(access, source, signal);
}

/**
 * Reads ranges of a pinned source and compares each with the pin, see `SourceReader`. It opens nothing until a range is
 * read.
 */
export function openSource(access: SourceAccess, pinned: PinnedSource): SourceReader {
  const { source } = pinned;
  switch (source.kind) {
    case 'path':
      return openPath(access, { ...pinned, source });
    case 'http':
      return openHttpSource(withHostCheck(access), { ...pinned, source });
    case 's3':
      return openS3Source(access, { ...pinned, source });
  }
}

/**
 * Deletes the file of a source marked `deleteAfter`: one of ours in the spool folder, or an object with a proof. Every
 * other source stays. A missing file counts as released. Rejects with `SourceNotAllowed` if a marked file is not ours.
 */
export async function releaseSource(access: ReleaseAccess, source: SourceDescriptor): Promise<void> {
  if (isOurs(source)) await releaseOwn(access, source);
}
