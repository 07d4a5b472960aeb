import type { JsonObject } from '../../json';
import type { FileTypeOrigin } from './file-type';
import type { MediaFields } from './media-fields';
import type { SourceDescriptor } from '../sources/source';
import type { Orphan, PartResult } from '../upload-steps';

/** What is to be uploaded and how. Plain JSON: the heart of a workflow's input. */
export interface UploadRequest {
  readonly source: SourceDescriptor;
  /** `fileType` may be unset: it is guessed from the source's name, then from its MIME type. */
  readonly media: Omit<MediaFields, 'fileType'> & { readonly fileType?: string };
  readonly metadata?: JsonObject;
  /** Names this upload: the same key means the same upload. */
  readonly ingestKey: string;
  readonly options: UploadOptions;
  /** The session that an earlier run of this upload left: it is read before another one starts. */
  readonly earlier?: EarlierSession;
}

/** A session whose upload ended without a result, and the file that it was for. */
export interface EarlierSession {
  readonly uploadId: string;
  readonly mediaId?: string;
  readonly fileName: string;
  readonly fileType: string;
  readonly bytes: number;
  /** Of the file's content, see `sourceIdentity`. Unset: unknown. */
  readonly identity?: string;
}

/** Every field has a default, see `DEFAULT_UPLOAD_OPTIONS`. */
export interface UploadOptions {
  /** Wished part size in bytes; bent to the interface's bounds. Unset: by the interface's guidance. */
  readonly partBytes?: number;
  /** Parts sent at once, 1 to 16. */
  readonly concurrency?: number;
  readonly verifyMd5?: boolean;
  /** When URLs expire and no more can be had: start one new session and name the orphan. */
  readonly restartOnExpiry?: boolean;
  /** Bytes per second under which a part is given up and sent again. */
  readonly minimumThroughput?: number;
  /** Longest time without a byte, ms. */
  readonly stallMs?: number;
  /** How long to wait for COMPLETED after `complete` was accepted, ms. */
  readonly processingLimitMs?: number;
  /** Temporal only: heartbeat time-out of a part, ms. */
  readonly heartbeatMs?: number;
  /** Temporal only: first delay between two polls that cost no slot, ms; grows to a minute. */
  readonly pollDelayMs?: number;
  /** First pause before a `start` whose answer was lost is repeated, ms; the next one is 30 times as long, 15 minutes at most. */
  readonly startPauseMs?: number;
  /** A `start` that has not left after so long is not sent any more, ms: so long its session is not searched for if its worker was lost. */
  readonly startLimitMs?: number;
  /** Most parts, where the deployment allows fewer than 120. */
  readonly maxParts?: number;
  /** Temporal only: most bytes per second, 65,536 or more. Unset: no limit. */
  readonly bytesPerSecond?: number;
  /** Uploads of one group share `bytesPerSecond`. Default: this upload alone. */
  readonly bandwidthGroup?: string;
}

export const DEFAULT_UPLOAD_OPTIONS = {
  concurrency: 4,
  verifyMd5: true,
  restartOnExpiry: false,
  minimumThroughput: 64 * 1024,
  stallMs: 15_000,
  processingLimitMs: 24 * 60 * 60 * 1000,
  heartbeatMs: 20_000,
  pollDelayMs: 5_000,
  startPauseMs: 30_000,
  startLimitMs: 60_000,
  maxParts: 120,
} as const;

export type UploadPhase =
  'pinning' | 'starting' | 'uploading' | 'completing' | 'processing' | 'completed' | 'failed' | 'cancelled';

/** Where an upload stands; the answer of the `progress` query. */
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
  /** Numbers of the parts that are under way. */
  readonly partsRunning: readonly number[];
  readonly retries: number;
  readonly uploadId?: string;
  readonly mediaId?: string;
  /** The session's status as last read, where it is not yet terminal. */
  readonly sessionStatus?: string;
  /** What may keep this upload from ending well, and what helps: a full sentence. */
  readonly warning?: string;
}

/** How an upload ended well. */
export interface UploadResult {
  readonly uploadId: string;
  readonly mediaId?: string;
  readonly status: 'COMPLETED';
  /** Without its query. */
  readonly fileUrl?: string;
  readonly fileName: string;
  readonly fileType: string;
  /** What decided on the file type. Unset: an older worker made the result. */
  readonly fileTypeFrom?: FileTypeOrigin;
  readonly bytes: number;
  /** Ascending by part number. Empty if an earlier run sent them. */
  readonly parts: readonly PartResult[];
  /** True: an earlier run of this upload had completed the session, and nothing was sent. */
  readonly earlier?: true;
  /** ms of each phase. */
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
  /** False where a lost `start` could not be searched for. */
  readonly orphansVerifiable: boolean;
  /** As in `UploadProgress`: it ended well all the same. */
  readonly warning?: string;
}
