import type { BatchCounts } from '../batch/types';
import type { ForAccount, Sealed } from '../upload/types';

/**
 * What gateways and workers agree on for waits: when uploads and batches have ended, their ends are posted to a URL.
 * The workflow runs on any worker of the account. Its one activity runs in the gateway, because workers may be where
 * nothing can reach the URL.
 */
export const WAIT_WORKFLOW = 'awaitEnds';

export interface WaitInput extends PostEndsInput {
  readonly queuePrefix: string;
  /** How long the ends are awaited and the post is retried, ms. */
  readonly limitMs: number;
}

export type PostEndsInput = ForAccount<{
  /** Names the wait within its account. A receiver gets it with each post. */
  readonly waitId: string;
  /** Workflow ids of uploads and batches. */
  readonly ids: readonly string[];
  /** See `waitUrlPurpose`. */
  readonly url: Sealed;
  /** Name of the token that registered the wait: its hash signs the post. Unset: the post is unsigned. */
  readonly token?: string;
}>;

/** How an upload or a batch has ended: what a post carries of it. Details come by GET. */
export interface End {
  readonly id: string;
  /** As Temporal names it; UNKNOWN if it forgot it meanwhile. */
  readonly status: string;
  readonly uploadId?: string;
  readonly mediaId?: string;
  /** Of a batch. */
  readonly counts?: BatchCounts;
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
}

export interface WaitMemo {
  /** Digest of ids and URL. A wait of the same id with others is refused. */
  readonly inputDigest?: string;
}

/** The queue that gateways of an account poll. */
export function postsQueue(prefix: string, accountId: string): string {
  return `${prefix}.${accountId}.posts`;
}

export function waitWorkflowId(accountId: string, waitId: string): string {
  return `wait/${accountId}/${waitId}`;
}

/** Binds the sealed URL to its wait. */
export function waitUrlPurpose(waitId: string): string {
  return `wait URL ${waitId}`;
}
