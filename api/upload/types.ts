import type { ErrorCode, ErrorFacts } from '../errors';
import type { JsonObject } from '../json';
import type { PinnedSource, SourceDescriptor } from './sources/source';
import type { EarlierRead, SessionPart, UploadSession } from './protocol/session';
import type { OptionValues } from '../options/option';
import type { MEDIA_OPTIONS, UploadOptions } from '../options/upload-options';

/**
 * The `media` object of an upload's start (api.md, "Upload start request: media object"), see `MEDIA_OPTIONS`. Unset
 * fields are not sent; we set no defaults.
 */
export interface MediaFields extends Omit<OptionValues<typeof MEDIA_OPTIONS>, 'insights'> {
  /** Extension, in upper case as in the interface's table. */
  readonly fileType: string;
  readonly insights?: { readonly isLibrary?: boolean; readonly includeInReport?: boolean };
}

/**
 * The I/O of one upload, one function per step. `run-upload` orchestrates the steps and does no I/O itself. In
 * Temporal each call is an activity; inside n8n each is a plain call. `Url` is the form in which a pre-signed URL
 * travels between steps: sealed in a history.
 */
export interface UploadSteps<Url = unknown> {
  /** Fixes size and fingerprint of the source. It first copies the source to the spool folder if necessary. */
  pinSource(input: { source: SourceDescriptor }): Promise<PinnedSource>;
  /** POST /upload/start, sent exactly once per call. */
  startSession(input: StartInput): Promise<StartedSession<Url>>;
  /** Waits before a `start` is repeated: for the pause, then until the upload host answers. */
  awaitUploadHost(input: HostWait): Promise<void>;
  /** Searches media by the ingest tag. "Found none" never means "does not exist". */
  findOrphans(input: { ingestKey: string; known: readonly string[] }): Promise<OrphanSearch>;
  sendPart(input: PartInput<Url>): Promise<PartResult>;
  /**
   * Set: the driver sends consecutive parts together (see `partRuns`), at most `atOnce` of them at the same time, and
   * `sendPart` is not called. Resolves with a result for each part.
   */
  sendParts?(parts: readonly PartInput<Url>[], atOnce: number): Promise<readonly PartResult[]>;
  /** POST /upload/{uploadId}/complete, sent only if a read of the session shows that it has not arrived yet. */
  completeSession(input: CompleteInput): Promise<UploadSession>;
  /** Resolves when the status is COMPLETED or FAILED, rejects with `ProcessingTimeout` after `limitMs`. */
  pollSession(input: PollInput): Promise<UploadSession>;
  /**
   * Reads the session of an earlier run: twice, some seconds apart, unless the first read shows that `complete` arrived.
   */
  readSession(input: { uploadId: string }): Promise<EarlierRead>;
  /** Removes files of our own. Always called at the end, also after a failure. */
  releaseSource(input: { source: SourceDescriptor }): Promise<void>;
}

export interface StartInput {
  readonly media: MediaFields;
  readonly metadata?: JsonObject;
  readonly ingestKey: string;
  readonly amountOfParts: number;
  /** How long a `start` may wait before it is sent, ms; later it is not sent any more. */
  readonly limitMs: number;
}

export interface HostWait {
  /** Pause before the first request to the upload host, ms. */
  readonly pauseMs: number;
  /** Why `start` is repeated. A driver shows it meanwhile. */
  readonly failure: StepFailure;
}

export interface StartedSession<Url = unknown> {
  readonly uploadId: string;
  readonly mediaId?: string;
  readonly urls: readonly PartUrl<Url>[];
}

export interface PartUrl<Url = unknown> {
  readonly partNumber: number;
  readonly url: Url;
}

export interface PartInput<Url = unknown> {
  readonly uploadId: string;
  readonly partNumber: number;
  readonly offset: number;
  readonly bytes: number;
  readonly source: PinnedSource;
  /** Unset: `start` gave none for this part, so it is requested. */
  readonly url?: PartUrl<Url>;
  readonly verifyMd5: boolean;
  readonly stallMs: number;
  readonly mimeType?: string;
}

export interface PartResult {
  readonly partNumber: number;
  /** Unquoted. */
  readonly eTag: string;
  /** True: the ETag is the MD5 of the sent bytes. False: it can't be one, or checking is off. */
  readonly verified: boolean;
  readonly bytes: number;
  /** 1 = the first try succeeded. 0 = an earlier run of this upload sent it; then `ms` is 0 as well. */
  readonly attempts: number;
  /** Duration of the try that succeeded, ms. */
  readonly ms: number;
}

export interface CompleteInput {
  readonly uploadId: string;
  readonly parts: readonly SessionPart[];
  /**
   * An earlier try may have sent it (a worker was lost). The session is read twice, some seconds apart, before it is
   * sent.
   */
  readonly mayHaveBeenSent?: boolean;
}

export interface PollInput {
  readonly uploadId: string;
  /** When `complete` was accepted, epoch ms. */
  readonly completedAt: number;
  /** How long the processing may take after that, ms. */
  readonly limitMs: number;
}

export interface OrphanSearch {
  readonly orphans: readonly Orphan[];
  /**
   * False if the found media show no tags, search is refused, or the ingest tag is off. Then unknown orphans may exist.
   */
  readonly verifiable: boolean;
}

/** A session that this upload left behind. The interface can't remove it. */
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

/** What to upload and how. Plain JSON: the core of a workflow's input. */
export interface UploadRequest {
  readonly source: SourceDescriptor;
  /** An unset `fileType` is guessed from the source's name, then from its MIME type. */
  readonly media: Omit<MediaFields, 'fileType'> & { readonly fileType?: string };
  readonly metadata?: JsonObject;
  /** Names this upload: the same key means the same upload. */
  readonly ingestKey: string;
  readonly options: UploadOptions;
  /** The session of an earlier run of this upload. It is read, and continued if possible, before another one starts. */
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
export interface EarlierSession extends Pick<
  UploadResult,
  'uploadId' | 'mediaId' | 'fileName' | 'fileType' | 'bytes'
> {
  /** Identity of the file's content, see `sourceIdentity`. Unset: unknown. */
  readonly identity?: string;
  /** Size of each part but the last. Unset: unknown. */
  readonly partBytes?: number;
  /** Parts that earlier runs sent. Not those that the service lists: nobody compared them with this file. */
  readonly parts?: readonly KeptPart[];
}

/** A part that need not be sent again. */
export type KeptPart = Pick<PartResult, 'partNumber' | 'eTag' | 'verified'>;

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
  /** Ascending by part number. Empty if an earlier run had completed the session. */
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
