import { MediaServiceError } from '../../api/errors';
import type { TemporalConnection } from './connect';
import { rowProgress } from './batch/row-progress';
import { heldUpOf, type HeldUp } from './held-up-by';
import { readListing, type UploadListing } from './list-uploads';
import { openUpload } from './open-upload';
import type { LiveProgress } from './upload-handle';

/** `listing`: no worker answered, so only what Temporal itself knows. `heldUpBy` is unset once the upload has ended. */
export type UploadState =
  { readonly progress: LiveProgress } | { readonly listing: UploadListing; readonly heldUpBy?: HeldUp };

/** Where an upload stands, as far as that can be known now: a missing worker is a reason for waiting, and no error. */
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
    return listing.status === 'RUNNING' ? { listing, heldUpBy: heldUpOf(error) } : { listing };
  }
}

/** A small file of a batch has no workflow of its own. */
async function stateOfRow(
  connection: TemporalConnection,
  workflowId: string,
  notFound: MediaServiceError,
): Promise<UploadState> {
  const progress = await rowProgress(connection, workflowId);
  if (progress === undefined) throw notFound;
  const { waitReason, ...row } = progress;
  const heldUp = waitReason === undefined ? {} : { heldUpBy: heldUpOf(waitReason) };
  return { progress: { ...row, bytesInFlight: 0, ...heldUp } };
}
