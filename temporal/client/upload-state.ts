import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from './connect';
import { rowProgress } from './batch/row-progress';
import { waitReasonOf, type WaitReason } from './wait-reason';
import { readListing, type UploadListing } from './list-uploads';
import { openUpload } from './open-upload';
import type { LiveProgress } from './upload-handle';

/**
 * `listing`: no worker answered, so it contains only what Temporal itself knows. `waitReason` is unset after the
 * upload has ended.
 */
export type UploadState =
  { readonly progress: LiveProgress } | { readonly listing: UploadListing; readonly waitReason?: WaitReason };

/** The state of an upload, as far as it can be known now. A missing worker is a reason for waiting, not an error. */
export async function readUploadState(
  connection: TemporalConnection,
  workflowId: string,
): Promise<UploadState> {
  try {
    return { progress: await openUpload(connection, workflowId).progress() };
  } catch (error) {
    if (!(error instanceof MediaServiceError)) throw error;
    if (error.code === 'RequestRefused') return stateOfRow(connection, workflowId, error);
    if (error.code !== 'NoWorker') throw error;
    const listing = await readListing(connection, workflowId);
    return listing.status === 'RUNNING' ? { listing, waitReason: waitReasonOf(error) } : { listing };
  }
}

/** A small file of a batch does not have its own workflow. */
async function stateOfRow(
  connection: TemporalConnection,
  workflowId: string,
  notFound: MediaServiceError,
): Promise<UploadState> {
  const progress = await rowProgress(connection, workflowId);
  if (progress === undefined) throw notFound;
  const { waitReason: failure, ...row } = progress;
  const waiting = failure === undefined ? {} : { waitReason: waitReasonOf(failure) };
  return { progress: { ...row, bytesInFlight: 0, ...waiting } };
}
