import { isJsonObject, parsedJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import type { BatchPlan } from '../types';
import { locationText } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { deleteFileAt, readTextAt, writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import { batchFile } from './batch-files';

/** The batch that owns a folder. */
interface FolderOwner {
  readonly accountId: string;
  readonly batchId: string;
}

/** `plan.json`: the batch that owns the folder, and the pages of its manifest, in its order. */
export interface StoredPlan extends FolderOwner {
  /** Grows by one with each start of the batch. 0: the first manifest is still read, and there are no pages. */
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
  /** The round that added it. */
  readonly round: number;
}

export function planOf({ round, pages, skipped = 0 }: StoredPlan): BatchPlan {
  const rows = pages.reduce((sum, page) => sum + page.rows, skipped);
  return { round, rows, pages: pages.length, ...(skipped === 0 ? {} : { skipped }) };
}

/**
 * The plan of an earlier start in this folder. Rejects with `InputDiffers` if the folder contains another batch.
 */
export async function readPlan(
  access: FileAccess,
  folder: FileLocation,
  owner: Pick<FolderOwner, 'batchId'> & Partial<FolderOwner>,
): Promise<StoredPlan | undefined> {
  const file = batchFile(folder, 'plan.json');
  const text = await readTextAt(access, file);
  if (text === undefined) return undefined;
  const plan = parsedJson(text);
  const isPlan = isStoredPlan(plan);
  if (isPlan && plan.batchId === owner.batchId && plan.accountId === (owner.accountId ?? plan.accountId))
    return plan.round === 0 ? undefined : plan;
  const to = isPlan ? `the batch ${plan.batchId} of the account ${plan.accountId}` : 'another program';
  throw new MediaServiceError('InputDiffers', `The folder ${locationText(folder)} belongs to ${to}.`, {
    outcome: 'refused',
    field: 'folder',
    hint: 'Give each batch a folder of its own.',
  });
}

export function writePlan(access: FileAccess, folder: FileLocation, plan: StoredPlan): Promise<void> {
  return writeFileAt(access, batchFile(folder, 'plan.json'), textOf(plan));
}

function textOf(plan: StoredPlan): string {
  return `${JSON.stringify(plan)}\n`;
}

function isStoredPlan(value: unknown): value is StoredPlan {
  return isJsonObject(value) && typeof value['batchId'] === 'string' && Array.isArray(value['pages']);
}

/**
 * Claims a folder without a plan for this batch, before anything is written there. The same batch can claim it again.
 * If another batch claims it at the same time, rejects with `InputDiffers`, which names that batch.
 */
export async function claimFolder(
  access: FileAccess,
  folder: FileLocation,
  owner: FolderOwner,
): Promise<void> {
  const file = batchFile(folder, 'plan.json');
  const text = textOf({ ...owner, round: 0, startedBy: '', pages: [] });
  // A store that ignores conditional writes would replace an existing claim.
  if ((await readTextAt(access, file)) === undefined)
    await writeFileAt({ ...access, onlyNew: true }, file, text);
  await readPlan(access, folder, owner);
}

/** Releases the claim on a folder without a plan. */
export function releaseFolder(access: FileAccess, folder: FileLocation): Promise<void> {
  return deleteFileAt(access, batchFile(folder, 'plan.json'));
}
