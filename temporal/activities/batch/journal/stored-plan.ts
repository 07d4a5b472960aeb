import { isJsonObject } from '../../../../api/json';
import { MediaServiceError } from '../../../../api/errors';
import type { BatchPlan } from '../../../contract/batch';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import { placeText } from '../../../../places/place-text';
import { readPlaceText, writePlace } from '../../../../places/places';
import { planFile } from './batch-files';

const PLAN_SCHEMA = 1;

/** `plan.json`: the pages that a manifest became, in its order. */
export interface StoredPlan {
  readonly schema: number;
  readonly batchId: string;
  /** One more with each start of the batch. */
  readonly round: number;
  /** The root's run that began the round: the same run asking again gets the same round. */
  readonly startedBy: string;
  readonly pages: readonly StoredPage[];
}

export interface StoredPage {
  readonly rows: number;
  readonly digest: string;
}

export function planOf({ round, pages }: StoredPlan): BatchPlan {
  return { round, rows: pages.reduce((sum, { rows }) => sum + rows, 0), pages: pages.length };
}

/** The plan of an earlier start in this folder. Rejects with `InputDiffers` where the folder holds another batch, and with `InputTooNew`. */
export async function readPlan(
  access: PlaceAccess,
  folder: Place,
  batchId: string,
): Promise<StoredPlan | undefined> {
  const text = await readPlaceText(access, planFile(folder));
  if (text === undefined) return undefined;
  const plan: unknown = JSON.parse(text);
  if (!isStoredPlan(plan)) {
    throw new MediaServiceError('Internal', `${placeText(planFile(folder))} is no plan of a batch.`, {
      hint: 'Give the batch a folder of its own.',
    });
  }
  if (plan.schema > PLAN_SCHEMA) {
    throw new MediaServiceError(
      'InputTooNew',
      `${placeText(planFile(folder))} was written by a newer worker: update the workers.`,
    );
  }
  if (plan.batchId === batchId) return plan;
  throw new MediaServiceError(
    'InputDiffers',
    `The folder ${placeText(folder)} holds the batch ${plan.batchId}, not ${batchId}.`,
    { outcome: 'refused', hint: 'Give each batch a folder of its own.' },
  );
}

export function writePlan(
  access: PlaceAccess,
  folder: Place,
  plan: Omit<StoredPlan, 'schema'>,
): Promise<void> {
  const text = `${JSON.stringify({ schema: PLAN_SCHEMA, ...plan })}\n`;
  return writePlace(access, planFile(folder), text);
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
