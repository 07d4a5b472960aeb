import type { WorkerActivities } from '../../../temporal/worker/create-worker';
import { BATCH, LARGE, PROCESSED } from './batch-scenarios';
import type { KillMoment } from '../../support/kill-point';
import type { Scenario } from './cell';
import { REPORT } from './report-scenarios';
import { UPLOADS } from './upload-scenarios';

/** How to reach the activity, by workflow type. */
type Rows = Readonly<Record<string, Scenario>>;

const single = (activity: keyof typeof UPLOADS): Rows => ({ uploadMedia: UPLOADS[activity] });

/** Every activity, in every workflow that calls it. */
const TABLE: Readonly<Record<keyof WorkerActivities, Rows>> = {
  pinSource: single('pinSource'),
  startSession: single('startSession'),
  awaitUploadHost: single('awaitUploadHost'),
  findOrphans: single('findOrphans'),
  sendParts: single('sendParts'),
  completeSession: single('completeSession'),
  readSession: single('readSession'),
  pollSession: single('pollSession'),
  releaseSource: single('releaseSource'),
  planBatch: { uploadBatch: BATCH },
  uploadPage: { uploadBatchPage: PROCESSED },
  endRow: { uploadBatchPage: LARGE },
  writeResults: { uploadBatch: BATCH },
  planFailureReport: { failureReport: REPORT },
  readFailureReport: { failureReport: REPORT },
  deliverReport: { failureReport: REPORT },
};

interface Row {
  readonly workflow: string;
  readonly activity: string;
  readonly scenario: Scenario;
}

export const ROWS: readonly Row[] = Object.entries(TABLE).flatMap(([activity, rows]) =>
  Object.entries(rows).map(([workflow, scenario]) => ({ workflow, activity, scenario })),
);

/** For example, `uploadMedia after sendParts` runs only these cells. */
const ONLY = new RegExp(process.env['CELLS'] ?? '');

/** The cells of rows at the given moments, or those that the environment chooses. */
export function cellsOf<R extends Row>(
  rows: readonly R[],
  moments: readonly KillMoment[],
): (R & { readonly moment: KillMoment })[] {
  return rows
    .flatMap((row) => moments.map((moment) => ({ ...row, moment })))
    .filter(({ workflow, activity, moment }) => ONLY.test(`${workflow} ${moment} ${activity}`));
}

const SHARE = process.env['CELLS_SHARE'] ?? '1/1';

/** All cells, or a share of them: `2/3` are the second, fifth, eighth … */
export function shareOfCells<T>(cells: readonly T[]): readonly T[] {
  const [, first, step] = (/^([1-9]\d?)\/([1-9]\d?)$/.exec(SHARE) ?? []).map(Number);
  if (first === undefined || step === undefined || first > step)
    throw new Error(`CELLS_SHARE is ${SHARE}. It must be like 2/3.`);
  return cells.filter((_, index) => index % step === first - 1);
}
