import { isJsonObject, parsedJson } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import type { FileLocation } from '../../files/file-location';
import { createFileAt, deleteFileAt, readTextAt, type FileAccess } from '../../files/files';
import { locationText } from '../../files/location-text';
import { claimFile } from './batch-files';

const CLAIM_SCHEMA = 1;

/** The batch that owns a folder. */
interface FolderClaim {
  readonly accountId: string;
  readonly batchId: string;
}

/**
 * Claims the folder for this batch before anything is written there. The same batch can claim it again. If another
 * batch owns the folder, or claims it at the same time, rejects with `InputDiffers`, which names that batch.
 */
export async function claimFolder(
  access: FileAccess,
  folder: FileLocation,
  claim: FolderClaim,
): Promise<void> {
  const file = claimFile(folder);
  const text = `${JSON.stringify({ schema: CLAIM_SCHEMA, ...claim })}\n`;
  // A store that ignores conditional writes would replace an existing claim.
  if ((await readTextAt(access, file)) === undefined) await createFileAt(access, file, text);
  const owner = ownerOf(await readTextAt(access, file));
  if (owner?.accountId === claim.accountId && owner.batchId === claim.batchId) return;
  const whose =
    owner === undefined
      ? 'has a batch.json that names no batch'
      : `belongs to the batch ${owner.batchId} of the account ${owner.accountId}`;
  throw new MediaServiceError('InputDiffers', `The folder ${locationText(folder)} ${whose}.`, {
    outcome: 'refused',
    field: 'folder',
    hint: 'Give each batch a folder of its own.',
  });
}

/** Releases the claim on a folder without a plan. */
export function releaseFolder(access: FileAccess, folder: FileLocation): Promise<void> {
  return deleteFileAt(access, claimFile(folder));
}

function ownerOf(text: string | undefined): FolderClaim | undefined {
  const claim = parsedJson(text ?? '');
  if (!isJsonObject(claim)) return undefined;
  const { accountId, batchId } = claim;
  if (typeof accountId !== 'string' || typeof batchId !== 'string') return undefined;
  return { accountId, batchId };
}
