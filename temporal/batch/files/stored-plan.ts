import { isJsonObject, parsedJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import type { BatchPlan } from '../types';
import { locationText } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { createFileAt, deleteFileAt, readTextAt, writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/files';
import { claimFile, planFile } from './batch-files';

const PLAN_SCHEMA = 1;

/** `plan.json`: the pages of a manifest, in its order. */
export interface StoredPlan {
  readonly schema: number;
  readonly batchId: string;
  /** Grows by one with each start of the batch. */
  readonly round: number;
  /** The root's run that began the round. If the same run asks again, it gets the same round. */
  readonly startedBy: string;
  readonly pages: readonly StoredPage[];
  /** Rows of the newest manifest that are wrong, and so in no page. */
  readonly skipped?: number;
}

export interface StoredPage {
  readonly rows: number;
  readonly digest: string;
}

export function planOf({ round, pages, skipped = 0 }: StoredPlan): BatchPlan {
  const rows = pages.reduce((sum, page) => sum + page.rows, skipped);
  return { round, rows, pages: pages.length, ...(skipped === 0 ? {} : { skipped }) };
}

/**
 * The plan of an earlier start in this folder. Rejects with `InputDiffers` if the folder contains another batch, and
 * with `InputTooNew`.
 */
export async function readPlan(
  access: FileAccess,
  folder: FileLocation,
  batchId: string,
): Promise<StoredPlan | undefined> {
  const text = await readTextAt(access, planFile(folder));
  if (text === undefined) return undefined;
  const plan: unknown = JSON.parse(text);
  if (!isStoredPlan(plan)) {
    throw new MediaServiceError('Internal', `${locationText(planFile(folder))} is not a plan of a batch.`, {
      hint: 'Give the batch a folder of its own.',
    });
  }
  if (plan.schema > PLAN_SCHEMA) {
    throw new MediaServiceError(
      'InputTooNew',
      `${locationText(planFile(folder))} was written by a newer worker: update the workers.`,
    );
  }
  if (plan.batchId === batchId) return plan;
  throw new MediaServiceError(
    'InputDiffers',
    `The folder ${locationText(folder)} holds the batch ${plan.batchId}, not ${batchId}.`,
    { outcome: 'refused', hint: 'Give each batch a folder of its own.' },
  );
}

export function writePlan(
  access: FileAccess,
  folder: FileLocation,
  plan: Omit<StoredPlan, 'schema'>,
): Promise<void> {
  const text = `${JSON.stringify({ schema: PLAN_SCHEMA, ...plan })}\n`;
  return writeFileAt(access, planFile(folder), text);
}

function isStoredPlan(value: unknown): value is StoredPlan {
  return (
    isJsonObject(value) &&
    typeof value['schema'] === 'number' &&
    typeof value['batchId'] === 'string' &&
    typeof value['round'] === 'number' &&
    Array.isArray(value['pages'])
  );
}

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
