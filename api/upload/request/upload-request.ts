import type { MediaFields } from '../upload-steps';
import type { JsonObject } from '../../json';
import type { UploadOptions } from '../../options/upload-options';
import type { SourceDescriptor } from '../sources/source';
import type { Orphan, PartResult } from '../upload-steps';

/** What to upload and how. Plain JSON: the core of a workflow's input. */
export interface UploadRequest {
  readonly source: SourceDescriptor;
  /** An unset `fileType` is guessed from the source's name, then from its MIME type. */
  readonly media: Omit<MediaFields, 'fileType'> & { readonly fileType?: string };
  readonly metadata?: JsonObject;
  /** Names this upload: the same key means the same upload. */
  readonly ingestKey: string;
  readonly options: UploadOptions;
  /** The session of an earlier run of this upload. It is read before another one starts. */
  readonly earlier?: EarlierSession;
  /**
   * The answer of an earlier run's `start` is unknown. The session that it may have created is searched for before
   * another one starts.
   */
  readonly startPending?: true;
  /** Ids of media that had this ingest key before. No search for a lost session reports them. */
  readonly knownMedia?: readonly string[];
}

/** A session whose upload ended without a result, and the file that it was for. */
export interface EarlierSession {
  readonly uploadId: string;
  readonly mediaId?: string;
  readonly fileName: string;
  readonly fileType: string;
  readonly bytes: number;
  /** Identity of the file's content, see `sourceIdentity`. Unset: unknown. */
  readonly identity?: string;
}

export type UploadPhase =
  | 'pinning'
  | 'starting'
  | 'uploading'
  | 'completing'
  | 'processing'
  | 'completed'
  | 'failed'
  | 'cancelled'
  /** Asked to cancel, and not ended yet. Only Temporal knows. */
  | 'cancelling';

/** The progress of an upload; the answer of the `progress` query. */
export interface UploadProgress {
  readonly phase: UploadPhase;
  readonly paused: boolean;
  readonly fileName?: string;
  readonly bytesTotal?: number;
  readonly fileType?: string;
  /** Bytes of the parts that are done. */
  readonly bytesDone: number;
  readonly partsTotal?: number;
  readonly partsDone: number;
  /** Numbers of the running parts. */
  readonly partsRunning: readonly number[];
  readonly retries: number;
  readonly uploadId?: string;
  readonly mediaId?: string;
  /** The session's status when last read, if it is not final yet. */
  readonly sessionStatus?: string;
}

/** The result of a successful upload. */
export interface UploadResult {
  readonly uploadId: string;
  readonly mediaId?: string;
  readonly status: 'COMPLETED';
  /** Without its query. */
  readonly fileUrl?: string;
  readonly fileName: string;
  readonly fileType: string;
  readonly bytes: number;
  /** Ascending by part number. Empty if an earlier run sent them. */
  readonly parts: readonly PartResult[];
  /** True: an earlier run of this upload had completed the session, so nothing was sent. */
  readonly earlier?: true;
  /** Of the whole upload, its processing included. */
  readonly durationMs: number;
  /** Tries beyond the first, over all parts. */
  readonly retries: number;
  readonly orphans: readonly Orphan[];
  /** False if the session of a lost `start` could not be searched for. */
  readonly orphansVerifiable: boolean;
}

/** Returns the size of a value as UTF-8 JSON, in bytes. Temporal's sandbox has no Buffer. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}
