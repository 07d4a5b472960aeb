import { isJsonObject } from '../../../../api/json';
import { MediaServiceError } from '../../../../api/errors';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import { placeText } from '../../../../places/place-text';
import { createPlace, deletePlace, readPlaceText } from '../../../../places/places';
import { claimFile } from './batch-files';

const CLAIM_SCHEMA = 1;

/** Whose a folder is. */
export interface FolderClaim {
  readonly accountId: string;
  readonly batchId: string;
}

/**
 * Makes the folder this batch's own before anything is written there; the same batch finds it so again. Rejects with `InputDiffers`, naming the batch
 * whose folder it is, where it is another's, also where both come at the same time.
 */
export async function claimFolder(access: PlaceAccess, folder: Place, claim: FolderClaim): Promise<void> {
  const file = claimFile(folder);
  const text = `${JSON.stringify({ schema: CLAIM_SCHEMA, ...claim })}\n`;
  // A store that does not know conditions would replace it.
  if ((await readPlaceText(access, file)) === undefined) await createPlace(access, file, text);
  const owner = ownerOf(await readPlaceText(access, file));
  if (owner?.accountId === claim.accountId && owner.batchId === claim.batchId) return;
  const whose =
    owner === undefined
      ? 'holds something else'
      : `belongs to the batch ${owner.batchId} of the account ${owner.accountId}`;
  throw new MediaServiceError('InputDiffers', `The folder ${placeText(folder)} ${whose}.`, {
    outcome: 'refused',
    field: 'folder',
    hint: 'Give each batch a folder of its own.',
  });
}

/** Gives up a folder into which nothing was planned. */
export function releaseFolder(access: PlaceAccess, folder: Place): Promise<void> {
  return deletePlace(access, claimFile(folder));
}

function ownerOf(text: string | undefined): FolderClaim | undefined {
  const claim = jsonOf(text ?? '');
  if (!isJsonObject(claim)) return undefined;
  const { accountId, batchId } = claim;
  if (typeof accountId !== 'string' || typeof batchId !== 'string') return undefined;
  return { accountId, batchId };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
