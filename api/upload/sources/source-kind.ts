import type { PinnedSource, SourceDescriptor, SourceReader } from './source';
import type { SourceAccess } from './source-access';

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
export interface SourceIo<Source extends SourceDescriptor> {
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
