import type { ErrorFacts, ErrorCode } from '../errors';
import type { JsonObject } from '../json';
import type { MediaFields } from './request/media-fields';
import type { PinnedSource, SourceDescriptor } from './sources/source';
import type { UploadSession } from './session/session';

/**
 * The I/O of one upload, one function a step. `run-upload` orchestrates them and does no I/O itself: in Temporal calls of
 * a step are gathered into activities, inside n8n each is a plain call. `Url` is how a pre-signed URL travels between steps: sealed in a history.
 */
export interface UploadSteps<Url = unknown> {
  /** Fixes size and fingerprint of the source; copies it to the spool folder first where it has to. */
  pinSource(input: { source: SourceDescriptor }): Promise<PinnedSource>;
  /** POST /upload/start, sent exactly once per call. */
  startSession(input: StartInput): Promise<StartedSession<Url>>;
  /** Waits before a `start` is repeated: for the pause, then until the upload host answers. */
  awaitUploadHost(input: HostWait): Promise<void>;
  /** Searches media by the ingest tag. "Found none" never means "does not exist". */
  findOrphans(input: { ingestKey: string; known: readonly string[] }): Promise<OrphanSearch>;
  putPart(input: PartInput<Url>): Promise<PartResult>;
  /** POST /upload/{uploadId}/complete, sent only where a read of the session says that it did not arrive yet. */
  completeSession(input: CompleteInput): Promise<UploadSession>;
  /** Resolves when the status is COMPLETED or FAILED, rejects with `ProcessingTimeout` after `limitMs`. */
  pollSession(input: { uploadId: string; completedAt: number; limitMs: number }): Promise<UploadSession>;
  readSession(input: { uploadId: string }): Promise<UploadSession>;
  /** Removes spooled or handed-over files. Called at every end, also after a failure. */
  releaseSource(input: { source: SourceDescriptor }): Promise<void>;
}

export interface StartInput {
  readonly media: MediaFields;
  readonly metadata?: JsonObject;
  readonly ingestKey: string;
  readonly amountOfParts: number;
  /** A `start` that has not left after so long is not sent any more, ms. */
  readonly limitMs: number;
}

export interface HostWait {
  /** Before the upload host is asked, ms. */
  readonly pauseMs: number;
  /** Why `start` is repeated: what a driver shows meanwhile. */
  readonly failure: StepFailure;
}

export interface StartedSession<Url = unknown> {
  readonly uploadId: string;
  readonly mediaId?: string;
  readonly urls: readonly PartUrl<Url>[];
  /** Whether more URLs can be asked for. Unset: an older worker started it. */
  readonly renewable?: boolean;
}

export interface PartUrl<Url = unknown> {
  readonly partNumber: number;
  readonly url: Url;
  /** Epoch ms, where the URL tells. */
  readonly expiresAt?: number;
}

export interface PartInput<Url = unknown> {
  readonly uploadId: string;
  readonly partNumber: number;
  readonly offset: number;
  readonly bytes: number;
  readonly source: PinnedSource;
  /** Unset: `start` gave none for this part; it is asked for. */
  readonly url?: PartUrl<Url>;
  readonly verifyMd5: boolean;
  /** The result holds the MD5 of what was sent, also if storage's ETag is not compared with it. */
  readonly keepMd5?: boolean;
  /** Bytes per second under which a part is given up and sent again. */
  readonly minimumThroughput: number;
  readonly stallMs: number;
  readonly mimeType?: string;
  /** Most bytes per second of all parts of the group. Unset: no limit. */
  readonly bandwidth?: { readonly group: string; readonly bytesPerSecond: number };
}

export interface PartResult {
  readonly partNumber: number;
  /** Unquoted. */
  readonly eTag: string;
  /** True: the ETag is the MD5 of the bytes that were sent. False: it cannot be one, or checking is off. */
  readonly verified: boolean;
  /** Of the bytes that were sent, lower-case hex; only if `keepMd5` asked for it. */
  readonly md5?: string;
  readonly bytes: number;
  /** 1 = at the first try. */
  readonly attempts: number;
  /** Duration of the try that succeeded, ms. */
  readonly ms: number;
}

export interface CompleteInput {
  readonly uploadId: string;
  readonly parts: readonly { readonly partNumber: number; readonly eTag: string }[];
  /** An earlier try may have sent it (a worker was lost): the session is read twice, some seconds apart, before it is sent. */
  readonly mayHaveBeenSent?: boolean;
}

export interface OrphanSearch {
  readonly orphans: readonly Orphan[];
  /** False where the media found show no tags, search is refused, or the ingest tag is off: orphans may exist unseen. */
  readonly verifiable: boolean;
}

/** A session that this upload left behind; nothing in the interface removes it. */
export interface Orphan {
  readonly uploadId?: string;
  readonly mediaId?: string;
  /** Why it was left: `start lost its answer`, `URLs expired`, … */
  readonly reason: string;
}

/** A step's failure as the orchestrator sees it, whatever carried it (an Error, or Temporal's ActivityFailure). */
export interface StepFailure {
  /** `Cancelled` for a cancellation of any kind. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly facts: ErrorFacts;
}
