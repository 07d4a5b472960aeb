import { given } from '../../../api/json';
import { UPLOAD_WORKFLOW } from '../types';
import type { UploadMemo } from '../types';
import type { TemporalConnection } from '../../client/connect';
import { isNamed, listExecutions, quoted, readExecution, time } from '../../client/list-executions';
import type { ListChoice, Listing } from '../../client/list-executions';

export interface ListUploads extends ListChoice {
  /** Only uploads that started at this time or later, epoch ms. */
  readonly from?: number;
  /** Only uploads that started before this time, epoch ms. */
  readonly to?: number;
}

export interface UploadListing extends Listing {
  /** File name, or scheme, host and last segment of a URL. */
  readonly label?: string;
  readonly ingestKey?: string;
  readonly uploadId?: string;
  readonly mediaId?: string;
}

/**
 * Uploads within the namespace's retention: of those that run and those that ended last, newest start first. Reads only
 * Temporal's index, so that no worker is needed. The index can lag by seconds.
 */
export async function listUploads(
  connection: TemporalConnection,
  list: ListUploads = {},
): Promise<UploadListing[]> {
  const listed = await listExecutions(connection, conditionsOf(list), {
    ...list,
    show: (execution, memo) => {
      const listing = uploadListing(execution, memo);
      return isNamed(list, listing.label) ? listing : undefined;
    },
  });
  const byStart = (a: UploadListing, b: UploadListing): number =>
    b.startedAt.getTime() - a.startedAt.getTime();
  return list.ended === undefined ? listed.sort(byStart) : listed;
}

/** Without rows of batches: only large ones have a workflow, so a list would show some of them. */
const OWN_UPLOADS = `WorkflowType = ${quoted(UPLOAD_WORKFLOW)} AND ParentWorkflowId IS NULL`;

function conditionsOf({ from, to }: ListUploads): string[] {
  return [
    OWN_UPLOADS,
    ...(from === undefined ? [] : [`StartTime >= ${time(from)}`]),
    ...(to === undefined ? [] : [`StartTime < ${time(to)}`]),
  ];
}

/** One upload as lists show it. Rejects as `readExecution`. */
export async function readListing(
  connection: TemporalConnection,
  workflowId: string,
): Promise<UploadListing> {
  return readExecution(connection, workflowId, uploadListing);
}

function uploadListing(listing: Listing, memo: UploadMemo): UploadListing {
  const { unreadable } = listing;
  const encrypted = unreadable === undefined ? undefined : `(encrypted with the codec key ${unreadable})`;
  const { label = encrypted, ingestKey, uploadId, mediaId } = memo;
  return { ...listing, ...given({ label, ingestKey, uploadId, mediaId }) };
}
