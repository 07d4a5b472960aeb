import type { Advice } from '../../api/advice';
import type { AccountName } from '../../api/account/account';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { StepFailure } from '../../api/upload/upload-steps';
import type {
  UploadOptions,
  UploadProgress,
  UploadRequest,
  UploadResult,
} from '../../api/upload/request/upload-request';

/**
 * What clients (n8n, CLI, library) and workers agree on: names, input, result. Contains only types and strings,
 * because n8n installs only Temporal's client. New fields must be optional. Any other change raises
 * `UPLOAD_INPUT_SCHEMA`.
 */
export const UPLOAD_WORKFLOW = 'uploadMedia';

/** Checks once what identifies the content of a source. Takes `IdentifyInput`, returns `IdentifiedSource`. */
export const IDENTIFY_WORKFLOW = 'identifySource';

export interface IdentifyInput {
  readonly accountId: string;
  readonly queuePrefix: string;
  readonly source: SourceDescriptor;
}

export interface IdentifiedSource {
  /** See `sourceIdentity`. Unset: only reading the whole source would identify it. */
  readonly identity?: string;
}

/** How long an upload retries each step with a temporary error. */
export const STEP_RETRY_MS = 24 * 3_600_000;

/** Query without arguments, returns `WorkflowProgress`. */
export const PROGRESS_QUERY = 'progress';
/** Signals without arguments, idempotent. */
export const PAUSE_SIGNAL = 'pause';
export const RESUME_SIGNAL = 'resume';

/** The newest schema that workers of this version take, and the one that inputs use. */
export const UPLOAD_INPUT_SCHEMA = 1;

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
  /** Why a step waits in the workflow for its next try. Unset: no step waits there. Waits in Temporal show there. */
  readonly waitReason?: StepFailure;
}

/** Every activity's input contains the account, because a worker serves only its own accounts. */
export type ForAccount<Input> = Input & { readonly accountId: string };

/** A secret that can pass through a history. See `temporal/seal`. */
export interface Sealed {
  readonly keyId: string;
  /** base64url of nonce, ciphertext and tag. */
  readonly sealed: string;
}

/** The workflow's memo. Lists show all of it. */
export interface UploadMemo {
  /**
   * Digests of source, media and metadata. A start that would join with another input is refused, and the error names
   * the differences.
   */
  readonly inputDigest?: string;
  /** Random, one for each start. Shows whether a start joined the run or began it. */
  readonly startId?: string;
  readonly label?: string;
  readonly ingestKey?: string;
  /**
   * Identity of the file's content, see `sourceIdentity`. Set from the start if the starter made a digest, otherwise
   * when the session begins.
   */
  readonly identity?: string;
  /** These fields are of the newest session and its file. */
  readonly uploadId?: string;
  readonly mediaId?: string;
  readonly fileName?: string;
  readonly bytes?: number;
  readonly fileType?: string;
  /** The upload ended without the answer of a `start` that it sent. */
  readonly startPending?: true;
  /** How a cancelled upload ended and what is left, because Temporal's own cancellation carries no message. */
  readonly cancelled?: Advice & { readonly message: string; readonly orphans?: string };
}

export const DEFAULT_QUEUE_PREFIX = 'media-service';

/** The queue for workflows and control activities of an account. */
export function controlQueue(prefix: string, accountId: string): string {
  return `${prefix}.${accountId}`;
}

/** The prefix of an account's control queue, or undefined if the queue is another one. */
export function prefixOfQueue(queue: string, accountId: string): string | undefined {
  const end = controlQueue('', accountId);
  return queue.endsWith(end) ? queue.slice(0, -end.length) : undefined;
}

/** The queue for part activities of an account. */
export function transferQueue(prefix: string, accountId: string): string {
  return `${prefix}.${accountId}.transfer`;
}

/** The queue for pin and part activities of files on one machine. */
export function hostQueue(prefix: string, accountId: string, host: string): string {
  return `${prefix}.${accountId}.transfer@${host}`;
}

/** The queue for pages of batches, so that no single upload waits behind them. `host`: the machine of their files. */
export function pagesQueue(prefix: string, accountId: string, host?: string): string {
  return `${prefix}.${accountId}.pages${host === undefined ? '' : `@${host}`}`;
}

/** The account's control queue, by any of its queues. */
export function controlOfQueue(queue: string): string {
  return queue.replace(/\.(?:transfer|pages)(?:@.*)?$/s, '');
}

/** The machine of such a queue, or undefined for the account's other queues. */
export function hostOfQueue(control: string, queue: string): string | undefined {
  const start = [`${control}.transfer@`, `${control}.pages@`].find((one) => queue.startsWith(one));
  return start === undefined ? undefined : queue.slice(start.length);
}

/**
 * The queue on which a source is pinned and its parts are sent: its machine's queue if only one machine can read it,
 * otherwise the account's transfer queue.
 */
export function sourceQueue(prefix: string, accountId: string, host: string | undefined): string {
  return host === undefined ? transferQueue(prefix, accountId) : hostQueue(prefix, accountId, host);
}

export function uploadWorkflowId(accountId: string, ingestKey: string): string {
  return `upload/${accountId}/${ingestKey}`;
}
