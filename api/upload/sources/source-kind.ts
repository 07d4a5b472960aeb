import type { PinnedSource, SourceDescriptor, SourceReader } from './source';
import type { SourceAccess } from './source-access';

/** A pinned source of one kind. */
export type Pinned<Source extends SourceDescriptor> = PinnedSource & { readonly source: Source };

/** What is known of a kind of source without reading it. Pure, since workflows use it. Registered in `source-rules`. */
export interface SourceRules<Source extends SourceDescriptor> {
  /** Throws a `ValidationError` that names the wrong field. */
  check(source: Source): void;
  /** What lists and logs show of it: never a folder, a query or a secret. */
  label(source: Source): string;
  /** What distinguishes its content, see `sourceIdentity`. Default: the fingerprint. */
  identity?(pinned: Pinned<Source>): string | undefined;
  /** The only machine that can read it. Default: every machine can. */
  host?(source: Source): string | undefined;
  /** Whether it is deleted when the upload has ended. Default: never. */
  isOurs?(source: Source): boolean;
}

/** How a kind of source is read. Registered in `read-source`, which says how each call rejects. */
export interface SourceIo<Source extends SourceDescriptor> {
  pin(access: SourceAccess, source: Source, signal?: AbortSignal): Promise<PinnedSource>;
  open(access: SourceAccess, pinned: Pinned<Source>): SourceReader;
  /** Its identity, if pinning it would copy it. */
  identify?(access: SourceAccess, source: Source, signal?: AbortSignal): Promise<string | undefined>;
  /** Deletes it, see `SourceRules.isOurs`. */
  release?(access: ReleaseAccess, source: Source): Promise<void>;
}

export type ReleaseAccess = Pick<SourceAccess, 'roots' | 'spoolDir' | 'proveHandOver'>;
