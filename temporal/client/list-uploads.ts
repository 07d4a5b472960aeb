import { controlQueue, DEFAULT_QUEUE_PREFIX, UPLOAD_WORKFLOW } from '../contract';
import type { UploadMemo } from '../contract';
import type { TemporalConnection } from './connect';
import { endedWithin, listExecutions, quoted, type Execution } from './list-executions';
import { errorOfRpc } from './rpc-failure';

const DEFAULT_LIMIT = 100;

export interface ListUploads {
  /** Only this account's. Default: all of the namespace. */
  readonly accountId?: string;
  /** Needed to find an account's queue. Default `media-service`. */
  readonly queuePrefix?: string;
  /** Default 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadListing {
  readonly workflowId: string;
  readonly runId: string;
  /** As Temporal calls it: RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, TIMED_OUT. */
  readonly status: string;
  readonly startedAt: Date;
  readonly closedAt?: Date;
  /** File name, or scheme, host and last segment of a URL. */
  readonly label?: string;
  readonly ingestKey?: string;
  readonly uploadId?: string;
  readonly mediaId?: string;
}

/** Uploads within the namespace's retention, newest first; read from Temporal's index alone, so that no worker is needed. It can lag by seconds. */
export async function listUploads(
  connection: TemporalConnection,
  { accountId, queuePrefix = DEFAULT_QUEUE_PREFIX, limit = DEFAULT_LIMIT, signal }: ListUploads = {},
): Promise<UploadListing[]> {
  const ofAccount =
    accountId === undefined ? '' : ` AND TaskQueue = ${quoted(controlQueue(queuePrefix, accountId))}`;
  return listExecutions(connection, `WorkflowType = ${quoted(UPLOAD_WORKFLOW)}${ofAccount}`, {
    limit,
    signal,
    listingOf,
  });
}

export interface ListEndedUploads {
  readonly accountId: string;
  readonly queuePrefix: string;
  /** When they ended: [from, to), epoch ms. */
  readonly range: { readonly from: number; readonly to: number };
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** The account's uploads that ended in the range, however they ended; from Temporal's index, which can lag by seconds. */
export async function listEndedUploads(
  connection: TemporalConnection,
  { accountId, queuePrefix, range, limit, signal }: ListEndedUploads,
): Promise<UploadListing[]> {
  const queue = quoted(controlQueue(queuePrefix, accountId));
  const query = `WorkflowType = ${quoted(UPLOAD_WORKFLOW)} AND TaskQueue = ${queue} AND ${endedWithin(range)}`;
  return listExecutions(connection, query, { limit, signal, listingOf });
}

/** One upload as lists show it: its latest run. Rejects with `RequestRefused` where Temporal does not know it (any more). */
export async function readListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<UploadListing> {
  try {
    return listingOf(await connection.client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    throw errorOfRpc(connection, workflowId, error);
  }
}

function listingOf(info: Execution): UploadListing {
  const { label, ingestKey, uploadId, mediaId }: UploadMemo = info.memo ?? {};
  return {
    workflowId: info.workflowId,
    runId: info.runId,
    status: info.status.name,
    startedAt: info.startTime,
    ...(info.closeTime === undefined ? {} : { closedAt: info.closeTime }),
    ...(label === undefined ? {} : { label }),
    ...(ingestKey === undefined ? {} : { ingestKey }),
    ...(uploadId === undefined ? {} : { uploadId }),
    ...(mediaId === undefined ? {} : { mediaId }),
  };
}
