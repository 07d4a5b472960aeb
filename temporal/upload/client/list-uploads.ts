import { given } from '../../../api/json';
import { controlQueue, DEFAULT_QUEUE_PREFIX, UPLOAD_WORKFLOW } from '../types';
import type { UploadMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { endedWithin, listExecutions, quoted, readable, statusOf } from '../../client/list-executions';
import type { Execution } from '../../client/list-executions';
import { askTemporal } from '../../client/rpc-failure';

const DEFAULT_LIMIT = 100;

/** The status of an upload in lists, and its name in Temporal's queries. */
const STATUSES = {
  RUNNING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  CANCELLED: 'Canceled',
  TERMINATED: 'Terminated',
  TIMED_OUT: 'TimedOut',
} as const;

export type UploadStatus = keyof typeof STATUSES;

export const UPLOAD_STATUSES = Object.keys(STATUSES) as readonly UploadStatus[];

export interface ListUploads {
  /** Only uploads of this account. Default: all of the namespace. */
  readonly accountId?: string;
  /** Only uploads with one of these. Default: all. */
  readonly status?: readonly UploadStatus[];
  /** Only uploads whose label contains this text, in upper or lower case. */
  readonly name?: string;
  /** Only uploads that started at this time or later, epoch ms. */
  readonly from?: number;
  /** Only uploads that started before this time, epoch ms. */
  readonly to?: number;
  /**
   * Only uploads that ended within [from, to), epoch ms, with or without success. They come in the order of their ends,
   * latest first.
   */
  readonly ended?: { readonly from: number; readonly to: number } | undefined;
  /** Needed to find an account's queue. Default `media-service`. */
  readonly queuePrefix?: string;
  /** Default 100. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface UploadListing {
  readonly workflowId: string;
  readonly runId: string;
  /**
   * The status as Temporal names it: RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, TIMED_OUT. `readListing` also
   * knows CANCELLING.
   */
  readonly status: string;
  readonly startedAt: Date;
  /** Unset: it has not ended. */
  readonly closedAt?: Date;
  /** File name, or scheme, host and last segment of a URL. */
  readonly label?: string;
  readonly ingestKey?: string;
  readonly uploadId?: string;
  readonly mediaId?: string;
  /** The id of the codec key that encrypts label, keys and ids, and is missing here. */
  readonly unreadable?: string;
}

/**
 * Uploads within the namespace's retention: of those that run and those that ended last, newest start first. Reads only
 * Temporal's index, so that no worker is needed. The index can lag by seconds.
 */
export async function listUploads(
  connection: TemporalConnection,
  list: ListUploads = {},
): Promise<UploadListing[]> {
  const { name = '', limit = DEFAULT_LIMIT, signal } = list;
  const listed = await listExecutions(connection, queryOf(list), {
    limit,
    signal,
    listingOf: (execution) => {
      const listing = listingOf(execution);
      return (listing.label ?? '').toLowerCase().includes(name.toLowerCase()) ? listing : undefined;
    },
  });
  const byStart = (a: UploadListing, b: UploadListing): number =>
    b.startedAt.getTime() - a.startedAt.getTime();
  return list.ended === undefined ? listed.sort(byStart) : listed;
}

/** Without rows of batches: only large ones have a workflow, so a list would show some of them. */
const OWN_UPLOADS = `WorkflowType = ${quoted(UPLOAD_WORKFLOW)} AND ParentWorkflowId IS NULL`;

function queryOf({ accountId, queuePrefix = DEFAULT_QUEUE_PREFIX, ...list }: ListUploads): string {
  const { status, from, to, ended } = list;
  const statuses = status?.map((one) => quoted(STATUSES[one])).join(', ');
  const time = (ms: number): string => quoted(new Date(ms).toISOString());
  return [
    OWN_UPLOADS,
    ...(accountId === undefined ? [] : [`TaskQueue = ${quoted(controlQueue(queuePrefix, accountId))}`]),
    ...(statuses === undefined ? [] : [`ExecutionStatus IN (${statuses})`]),
    ...(from === undefined ? [] : [`StartTime >= ${time(from)}`]),
    ...(to === undefined ? [] : [`StartTime < ${time(to)}`]),
    ...(ended === undefined ? [] : [endedWithin(ended)]),
  ].join(' AND ');
}

/**
 * One upload as lists show it: its latest run. Rejects with `RequestRefused` if Temporal does not know it (any more).
 */
export async function readListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<UploadListing> {
  return askTemporal(connection, workflowId, async () => {
    const description = await connection.lister.workflow.getHandle(workflowId).describe();
    return { ...listingOf(readable(description)), status: statusOf(description) };
  });
}

function listingOf(info: Execution): UploadListing {
  const { unreadable } = info;
  const encrypted = unreadable === undefined ? undefined : `(encrypted with the codec key ${unreadable})`;
  const { label = encrypted, ingestKey, uploadId, mediaId }: UploadMemo = info.memo ?? {};
  return {
    workflowId: info.workflowId,
    runId: info.runId,
    status: info.status.name,
    startedAt: info.startTime,
    ...given({ closedAt: info.closeTime, label, ingestKey, uploadId, mediaId, unreadable }),
  };
}
