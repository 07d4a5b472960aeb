import type { NamedSecrets } from '../../named-secrets';
import type { S3Objects } from '../../../files/s3/s3-objects';
import type { Clock } from '../../clock';
import type { Transport } from '../../transport/transport';
import type { PathSource, PinnedSource, SourceDescriptor, SourceReader } from './source';
import { MediaServiceError } from '../../errors';
import { sourceIdentity } from './source-identity';
import { isOurs, pathOfSource } from './source-rules';
import { httpFacts, openHttpSource } from './http/http-source';
import { requireSecret } from './http/secret-headers';
import { pinOrSpool } from './http/spool';
import { openPath, pinPath } from './path/path-source';
import { releasePath } from './path/path-release';
import { openS3Source, pinS3Source, requireS3SetUp } from './s3/s3-source';

/** What this process may read, and how. */
export interface SourceAccess {
  /** Absolute folders that may contain path sources. Empty: no path source is allowed. */
  readonly roots: readonly string[];
  /** Loopback and private hosts that http sources may use, as `host` or `host:port`. Public hosts need no entry. */
  readonly sourceHosts: readonly string[];
  readonly transport: Transport;
  /** Opens the URL of an http source, sealed or not. */
  unseal(url: unknown): string;
  /**
   * Throws unless the source's `handOverProof` shows that its file was handed over. Unset: this process can't check it,
   * and deletes no handed-over file.
   */
  proveHandOver?(source: PathSource): void;
  /** The folder for copies of sources without Range. Unset: such sources are refused. */
  readonly spoolDir?: string;
  /** Name of this machine in task queues, so that only its workers read its copies. Unset outside of Temporal. */
  readonly host?: string;
  /** Called before each copy; rejects if the folder must not be used. Unset: no check. */
  prepareSpool?(): Promise<void>;
  /** Unset: S3 sources are refused. */
  readonly s3?: S3Objects;
  /** Unset: sources that name a secret are refused. */
  readonly secrets?: NamedSecrets;
}

/** A pinned source of one kind. */
export type Pinned<Source extends SourceDescriptor> = PinnedSource & { readonly source: Source };

/** What is known of a kind of source without reading it. Pure, since workflows use it. Registered in `source-rules`. */
export interface SourceRules<Source extends SourceDescriptor> {
  /** Whether its reader learns a MIME type from the source, so that a name without extension will do. */
  readonly reportsType: boolean;
  /** How a text names it. Default: no text with a scheme does. */
  readonly address?: SourceAddress<Source>;
  /** Throws a `ValidationError` that names the wrong field. */
  check(source: Source): void;
  /** What lists and logs show of it: never a folder, a query or a secret. */
  label(source: Source): string;
  /** Its name, as far as the source itself shows it. */
  fileName(source: Source): string | undefined;
  /** What is equal if two requests mean the same source: JSON without secrets and without queries. */
  meaning(source: Source): readonly unknown[];
  /** What distinguishes its content, see `sourceIdentity`. Default: the fingerprint. */
  identity?(pinned: Pinned<Source>): string | undefined;
  /** The only machine that can read it. Default: every machine can. */
  host?(source: Source): string | undefined;
  /** Its path, if it is a file on a disk. */
  path?(source: Source): string;
  /** Its address, if it is read over a network from the host in it. Undefined if the address is sealed. */
  url?(source: Source): URL | undefined;
  /** Whether it is deleted when the upload has ended. Default: never. */
  isOurs?(source: Source): boolean;
}

/** Texts that name a source of one kind, such as `s3://bucket/key`. */
interface SourceAddress<Source extends SourceDescriptor> {
  /** In lower case. */
  readonly schemes: readonly string[];
  /** Throws a `ValidationError` if the text names no source. */
  parse(text: string, options: AddressOptions): Source;
}

/** What an address does not say about its source. */
export interface AddressOptions {
  /** Name of the secret whose headers are sent with requests for http sources. */
  readonly secret?: string | undefined;
  /** The requester pays for S3 sources. */
  readonly requesterPays?: boolean | undefined;
}

/** How a kind of source is read. Registered in `read-source`, which says how each call rejects. */
interface SourceIo<Source extends SourceDescriptor> {
  pin(access: SourceAccess, source: Source, signal?: AbortSignal): Promise<PinnedSource>;
  open(access: SourceAccess, pinned: Pinned<Source>): SourceReader;
  /** Size and identity, for a kind whose `pin` may copy it. */
  facts?(access: SourceAccess, source: Source, signal?: AbortSignal): Promise<SourceFacts>;
  /** Rejects if this process lacks a setting or secret that sources like it need. */
  requireSetUp?(access: SetUpAccess, source: Source, signal?: AbortSignal): Promise<void>;
  /** Deletes it, see `SourceRules.isOurs`. */
  release?(access: ReleaseAccess, source: Source): Promise<void>;
}

export interface SourceFacts {
  readonly bytes: number | undefined;
  /** See `sourceIdentity`. */
  readonly identity: string | undefined;
}

export type SetUpAccess = Pick<SourceAccess, 's3' | 'secrets'>;
export type ReleaseAccess = Pick<SourceAccess, 'roots' | 'spoolDir' | 'proveHandOver'>;

const IO: Readonly<Record<SourceDescriptor['kind'], SourceIo<SourceDescriptor>>> = {
  path: { pin: pinPath, open: openPath, release: releasePath },
  http: { pin: pinOrSpool, open: openHttpSource, facts: httpFacts, requireSetUp: requireSecret },
  s3: { pin: pinS3Source, open: openS3Source, requireSetUp: requireS3SetUp },
};

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
  return IO[source.kind].pin(access, source, signal);
}

/** Returns a source's size and identity as far as they are known, and copies nothing. Rejects as `pinAnySize` does. */
export async function readSourceFacts(
  access: SourceAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<SourceFacts> {
  const io = IO[source.kind];
  if (io.facts !== undefined) return io.facts(access, source, signal);
  const pinned = await pinAnySize(access, source, signal);
  return { bytes: pinned.bytes, identity: sourceIdentity(pinned) };
}

/** Rejects with `Configuration` if this process lacks a setting or secret that sources like this one need. */
export async function requireSetUp(
  access: SetUpAccess,
  source: SourceDescriptor,
  signal?: AbortSignal,
): Promise<void> {
  await IO[source.kind].requireSetUp?.(access, source, signal);
}

/**
 * Reads ranges of a pinned source and compares each with the pin, see `SourceReader`. It opens nothing until a range is
 * read.
 */
export function openSource(access: SourceAccess, pinned: PinnedSource): SourceReader {
  return IO[pinned.source.kind].open(access, pinned);
}

/**
 * Deletes the file of a source marked `deleteAfter`, if it is ours: a copy in the spool folder, or a handed-over file
 * inside the roots with a proof. Every other source stays. A missing file counts as released. Rejects with
 * `SourceNotAllowed` if a marked file is not ours.
 */
export async function releaseSource(access: ReleaseAccess, source: SourceDescriptor): Promise<void> {
  if (isOurs(source)) await IO[source.kind].release?.(access, source);
}

/** A file that can't be removed must not keep an upload from ending. */
const RELEASE_MS = 30_000;

/** The same, but it does not wait longer than `RELEASE_MS`, as for a network share that is away. */
export async function releaseInTime(
  clock: Clock,
  ...[access, source]: Parameters<typeof releaseSource>
): Promise<void> {
  if (!isOurs(source)) return;
  const ended = new AbortController();
  try {
    await Promise.race([releaseSource(access, source), clock.sleep(RELEASE_MS, ended.signal)]);
  } finally {
    ended.abort();
  }
}
