import type { AccountName } from '../../api/account';
import { given } from '../../api/json';
import type {
  PartInput,
  PartResult,
  StepFailure,
  EarlierSession,
  UploadProgress,
  UploadRequest,
} from '../../api/upload/types';
import type { UploadOptions } from '../../api/options/upload-options';

/**
 * What clients (n8n, CLI, library) and workers agree on: names, input, result. Contains only types and strings,
 * because n8n installs only Temporal's client. New fields must be optional. Any other change needs another type of
 * workflow, which older workers leave to newer ones.
 */
export const UPLOAD_WORKFLOW = 'uploadMedia';

/** How long an upload retries each step with a temporary error. */
export const STEP_RETRY_MS = 24 * 3_600_000;

/** Query without arguments, returns `WorkflowProgress`. */
export const PROGRESS_QUERY = 'progress';
/** Signals without arguments, idempotent. */
export const PAUSE_SIGNAL = 'pause';
export const RESUME_SIGNAL = 'resume';

export interface UploadWorkflowInput extends UploadRequest {
  readonly account: AccountName & { readonly accountId: string };
  /** Queue prefix, so that the workflow derives the same queues as its starter. */
  readonly queuePrefix: string;
  readonly options: UploadOptions;
}

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
  readonly partBytes?: number;
  /** The upload ended without the answer of a `start` that it sent. */
  readonly startPending?: true;
  /** How a cancelled upload ended and what is left, because Temporal's own cancellation carries no message. */
  readonly cancelled?: { readonly message: string; readonly hint?: string; readonly orphans?: string };
}

export const DEFAULT_QUEUE_PREFIX = 'media-service';

/** The queue for workflows and control activities of an account. */
export function controlQueue(prefix: string, accountId: string): string {
  return `${prefix}.${accountId}`;
}

/** The queue for parts of an account, or for pins and parts of the files on one machine. */
export function transferQueue(prefix: string, accountId: string, host?: string): string {
  return `${prefix}.${accountId}.transfer${host === undefined ? '' : `@${host}`}`;
}

/** The queue for pages of batches, so that no single upload waits behind them. `host`: the machine of their files. */
export function pagesQueue(prefix: string, accountId: string, host?: string): string {
  return `${prefix}.${accountId}.pages${host === undefined ? '' : `@${host}`}`;
}

/** The account's control queue, by any of its queues, and the machine of a queue for its files. */
export function partsOfQueue(queue: string): { readonly control: string; readonly host?: string } {
  const [, control = queue, host] = /^(.*?)\.(?:transfer|pages)(?:@(.*))?$/s.exec(queue) ?? [];
  return { control, ...given({ host }) };
}

export function uploadWorkflowId(accountId: string, ingestKey: string): string {
  return `upload/${accountId}/${ingestKey}`;
}

/** Fields that differ between the parts of a run. */
export type RunPart = Pick<PartInput<Sealed>, 'partNumber' | 'offset' | 'bytes' | 'url'>;

/** Parts that travel together. What is equal for all of them is here once. */
export type SendPartsInput = ForAccount<Omit<PartInput<Sealed>, keyof RunPart>> & {
  readonly parts: readonly RunPart[];
  /** Parts that are sent at the same time. */
  readonly atOnce: number;
};

/** The heartbeat details of `sendParts`: what its next try must not repeat. */
export interface SentParts {
  readonly done: readonly PartResult[];
  /** Tries of parts that are not done. */
  readonly tries: readonly (readonly [partNumber: number, tries: number])[];
  /** Fresh URLs that replaced those of `start`. */
  readonly urls: readonly NonNullable<RunPart['url']>[];
  /** Workers that have refused a part. */
  readonly refusedBy?: readonly string[];
  /** Bytes that this run has sent so far, those of parts under way included. */
  readonly bytes: number;
}

/** The activity that sends parts. Clients look for it in descriptions. */
export const SEND_PARTS = 'sendParts';

type Named = { readonly [Name in Exclude<keyof EarlierSession, 'parts'>]?: UploadMemo[Name] | undefined };

/** The session that an upload left, from its memo or its result line. Undefined if it had begun none. */
export function earlierSessionOf(named: Named): Omit<EarlierSession, 'parts'> | undefined {
  const { uploadId, mediaId, fileName, fileType, bytes, identity, partBytes } = named;
  if (uploadId === undefined || fileName === undefined || fileType === undefined || bytes === undefined) {
    return undefined;
  }
  return { uploadId, fileName, fileType, bytes, ...given({ mediaId, identity, partBytes }) };
}

/** What an upload that ended without a result left for its next run. */
export type Left = Pick<UploadRequest, 'earlier' | 'startPending'>;
