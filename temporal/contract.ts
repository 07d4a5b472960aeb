import type { AccountName } from '../api/account/account';
import type { SourceDescriptor } from '../api/upload/sources/source';
import type { StepFailure } from '../api/upload/upload-steps';
import type {
  UploadOptions,
  UploadProgress,
  UploadRequest,
  UploadResult,
} from '../api/upload/request/upload-request';

/**
 * What clients (n8n, CLI, library) and workers agree on: names, input, result. Types and strings only, no SDK: n8n installs
 * only Temporal's client. Additions are optional fields; anything else raises `UPLOAD_INPUT_SCHEMA`.
 */
export const UPLOAD_WORKFLOW = 'uploadMedia';

/** Looks at a source once: what tells its content from other content. Takes `IdentifyInput`, answers `IdentifiedSource`. */
export const IDENTIFY_WORKFLOW = 'identifySource';

export interface IdentifyInput {
  readonly accountId: string;
  readonly queuePrefix: string;
  readonly source: SourceDescriptor;
}

export interface IdentifiedSource {
  /** See `sourceIdentity`. Unset: nothing tells, short of reading the whole source. */
  readonly identity?: string;
}

/** How long an upload retries each step whose error can pass. */
export const STEP_RETRY_MS = 24 * 3_600_000;

/** Query without arguments, answers `WorkflowProgress`. */
export const PROGRESS_QUERY = 'progress';
/** Signals without arguments, idempotent. */
export const PAUSE_SIGNAL = 'pause';
export const RESUME_SIGNAL = 'resume';

/** The newest that workers of this version take: 2 brought sources in S3 and secrets of http sources. */
export const UPLOAD_INPUT_SCHEMA = 2;

export interface UploadWorkflowInput extends UploadRequest {
  readonly schema: number;
  readonly account: AccountName & { readonly accountId: string };
  /** Queue prefix, so that the workflow derives the same queues as its starter. */
  readonly queuePrefix: string;
  readonly options: UploadOptions;
}

export type UploadWorkflowResult = UploadResult;
export type { UploadProgress };

export interface WorkflowProgress extends UploadProgress {
  /** Why a step waits in the workflow for its next try. Unset: none does; what waits in Temporal shows there. */
  readonly waitReason?: StepFailure;
}

/** What every activity's input carries: a worker serves only accounts that it holds. */
export type ForAccount<Input> = Input & { readonly accountId: string };

/** A secret on its way through a history; see `temporal/seal`. */
export interface Sealed {
  readonly keyId: string;
  /** base64url of nonce, ciphertext and tag. */
  readonly sealed: string;
}

/** The workflow's memo, all of it visible in lists. */
export interface UploadMemo {
  /** Digests of source, media and metadata: a joined start with another input is refused with what differs. */
  readonly inputDigest?: string;
  /** Random, one per start: tells a start that joined from one that began the run. */
  readonly startId?: string;
  readonly label?: string;
  readonly ingestKey?: string;
  /** Of the file's content, see `sourceIdentity`; known from the start if the starter made a digest, else from the session on. */
  readonly identity?: string;
  /** From here on: of the newest session, and of the file that it is for. */
  readonly uploadId?: string;
  readonly mediaId?: string;
  readonly fileName?: string;
  readonly bytes?: number;
  readonly fileType?: string;
  /** How a cancelled upload ended and what stays: Temporal's own cancellation carries no words. */
  readonly cancelled?: { readonly message: string; readonly hint?: string };
}

export const DEFAULT_QUEUE_PREFIX = 'media-service';

/** Workflows and control activities of an account. */
export function controlQueue(prefix: string, accountId: string): string {
  return `${prefix}.${accountId}`;
}

/** Part activities of an account. */
export function transferQueue(prefix: string, accountId: string): string {
  return `${prefix}.${accountId}.transfer`;
}

/** Pin and part activities of files that lie on one machine. */
export function hostQueue(prefix: string, accountId: string, host: string): string {
  return `${prefix}.${accountId}.transfer@${host}`;
}

/** The machine of such a queue; undefined for the account's other queues. */
export function hostOfQueue(control: string, queue: string): string | undefined {
  const start = `${control}.transfer@`;
  return queue.startsWith(start) ? queue.slice(start.length) : undefined;
}

/** The least that a worker has to know for this source: an input says no more, so that older workers take all that they can. */
export function inputSchemaOf(source: SourceDescriptor): number {
  return source.kind === 's3' || (source.kind === 'http' && source.headersSecret !== undefined) ? 2 : 1;
}

/** Where a source is pinned and its parts are sent: on its machine if it names one, else on any worker of the account. */
export function sourceQueue(prefix: string, accountId: string, source: SourceDescriptor): string {
  return source.kind === 'path' && source.host !== undefined
    ? hostQueue(prefix, accountId, source.host)
    : transferQueue(prefix, accountId);
}

export function uploadWorkflowId(accountId: string, ingestKey: string): string {
  return `upload/${accountId}/${ingestKey}`;
}
