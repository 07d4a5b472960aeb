import type { JsonObject } from '../../json';
import type { FileTypeOrigin } from './file-type';
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

/** Every field has a default, see `DEFAULT_UPLOAD_OPTIONS`. */
export interface UploadOptions {
  /** Preferred part size in bytes, clamped to the limits of the interface. Unset: the interface's guidance. */
  readonly partBytes?: number;
  /** Parts sent at once, 1 to 16. */
  readonly concurrency?: number;
  readonly verifyMd5?: boolean;
  /** Upload a source even if its Content-Type or first bytes contradict the file type. */
  readonly acceptAnyContent?: boolean;
  /** If URLs expire and no more are available, start one new session and report the orphan. */
  readonly restartOnExpiry?: boolean;
  /** A slower part is given up and sent again, bytes per second. */
  readonly minimumThroughput?: number;
  /** Longest time without a byte, ms. */
  readonly stallMs?: number;
  /** How long to wait for COMPLETED after `complete` was accepted, ms. */
  readonly processingLimitMs?: number;
  /** Temporal only: heartbeat time-out of a part, ms. */
  readonly heartbeatMs?: number;
  /** Temporal only: first pause between two polls that use no slot, ms; grows to a minute. */
  readonly pollDelayMs?: number;
  /**
   * First pause before a `start` with a lost answer is repeated, ms. The next one is 30 times as long, at most 15
   * minutes.
   */
  readonly startPauseMs?: number;
  /**
   * How long a `start` may wait before it is sent, ms; later it is not sent any more. If its worker was lost, its
   * session is not searched for during this time.
   */
  readonly startLimitMs?: number;
  /** Max parts, if the deployment allows fewer than 120. */
  readonly maxParts?: number;
  /** Temporal only: max bytes per second, 65,536 or more. Unset: no limit. */
  readonly bytesPerSecond?: number;
  /** Uploads of one group on one worker share `bytesPerSecond`. Default: this upload only. */
  readonly bandwidthGroup?: string;
}

export const DEFAULT_UPLOAD_OPTIONS = {
  concurrency: 4,
  verifyMd5: true,
  restartOnExpiry: false,
  minimumThroughput: 32 * 1024,
  stallMs: 15_000,
  processingLimitMs: 24 * 60 * 60 * 1000,
  heartbeatMs: 20_000,
  pollDelayMs: 1_000,
  startPauseMs: 30_000,
  startLimitMs: 60_000,
  maxParts: 120,
} as const;

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
  /** A possible reason why this upload may fail, and what helps, as full sentences. */
  readonly warning?: string;
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
  /** What decided the file type. Unset if `earlier`: it is no longer known. */
  readonly fileTypeFrom?: FileTypeOrigin;
  readonly bytes: number;
  /** Ascending by part number. Empty if an earlier run sent them. */
  readonly parts: readonly PartResult[];
  /** True: an earlier run of this upload had completed the session, so nothing was sent. */
  readonly earlier?: true;
  /** Duration of each phase, ms. */
  readonly durations: {
    readonly pinMs: number;
    readonly startMs: number;
    readonly transferMs: number;
    readonly completeMs: number;
    readonly processingMs: number;
    readonly totalMs: number;
  };
  /** Tries beyond the first, over all parts. */
  readonly retries: number;
  readonly orphans: readonly Orphan[];
  /** False if the session of a lost `start` could not be searched for. */
  readonly orphansVerifiable: boolean;
  /** As in `UploadProgress`, although the upload succeeded. */
  readonly warning?: string;
}

/**
 * The `media` object of an upload's start (api.md, "Upload start request: media object"). Unset fields are not sent; we
 * set no defaults.
 */
export interface MediaFields {
  /** Extension, in upper case as in the interface's table. */
  readonly fileType: string;
  /** 0 to 255 characters. */
  readonly creator?: string;
  readonly title?: string;
  /** Integer, ms. */
  readonly duration?: number;
  readonly resolution?: 'LOW' | 'NORMAL' | 'HIGH';
  readonly tags?: Readonly<Record<string, string>>;
  readonly insights?: { readonly isLibrary?: boolean; readonly includeInReport?: boolean };
}

/** Returns the size of a value as UTF-8 JSON, in bytes. Pure, because Temporal's sandbox has no Buffer. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value));
}

const NOT_ASCII = /[^\0-\x7f]/;

/** Returns the size of a text in UTF-8, in bytes. */
function utf8Bytes(text: string): number {
  // Nearly all texts, and many times faster.
  if (!NOT_ASCII.test(text)) return text.length;
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else bytes += code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
