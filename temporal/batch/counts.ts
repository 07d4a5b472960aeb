import type { BatchCounts, ResultLine } from './types';

export const NO_ROWS: BatchCounts = {
  rows: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  running: 0,
  waiting: 0,
  earlier: 0,
  bytes: 0,
};

export function addCounts(a: BatchCounts, b: BatchCounts): BatchCounts {
  return {
    rows: a.rows + b.rows,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
    running: a.running + b.running,
    waiting: a.waiting + b.waiting,
    earlier: a.earlier + b.earlier,
    bytes: a.bytes + b.bytes,
  };
}

/** Adds a row that has ended to the counts. `round`: the batch's newest. */
export function withEnded(
  counts: BatchCounts,
  { status, bytes = 0, joined = false, ...line }: Pick<ResultLine, 'status' | 'bytes' | 'joined' | 'round'>,
  round: number,
): BatchCounts {
  const { completed, earlier } = counts;
  switch (status) {
    case 'COMPLETED':
      return {
        ...counts,
        completed: completed + 1,
        earlier: earlier + Number(joined || line.round < round),
        bytes: counts.bytes + bytes,
      };
    case 'FAILED':
      return { ...counts, failed: counts.failed + 1 };
    case 'CANCELLED':
      return { ...counts, cancelled: counts.cancelled + 1 };
  }
}

/** The same counts. All rows that have not ended and do not run count as waiting. */
export function withWaiting(counts: BatchCounts): BatchCounts {
  const { rows, completed, failed, cancelled, running } = counts;
  return { ...counts, waiting: rows - completed - failed - cancelled - running };
}
