import type { ResultLine } from '../../../../temporal/batch/types';

/** The result of a row. Default: it is completed. */
export function resultLine(more: Partial<ResultLine> = {}): ResultLine {
  return {
    ...{ line: 2, id: 'row', source: 'row.mp4', workflowId: 'upload/a/batch/row', status: 'COMPLETED' },
    ...{ attempts: 1, round: 1, orphans: [], endedAt: '2026-11-20T10:00:00.000Z' },
    ...more,
  };
}
