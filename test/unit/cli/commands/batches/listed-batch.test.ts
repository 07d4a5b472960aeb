import { listedRow } from '../../../../../cli/commands/batches/list';
import type { BatchListing } from '../../../../../temporal/batch/client/list-batches';
import { NO_ROWS } from '../../../../../temporal/batch/counts';

const RUNNING: BatchListing = {
  workflowId: 'batch/acme-1/harbour',
  runId: 'r',
  status: 'RUNNING',
  startedAt: new Date('2026-11-21T07:00:00Z'),
  manifest: 'harbour.csv',
};
const COUNTS = { ...NO_ROWS, rows: 20_000, completed: 8_123, failed: 12 };

test.each<[label: string, batch: BatchListing, cells: Record<string, string>]>([
  ['that nobody answers for', RUNNING, { status: 'RUNNING', done: '', failed: '' }],
  [
    'that has ended with failed rows',
    { ...RUNNING, status: 'COMPLETED', counts: COUNTS },
    { status: 'FAILED 12 of 20,000', done: '8,123 of 20,000', failed: '12' },
  ],
  [
    'whose rows were all completed',
    { ...RUNNING, status: 'COMPLETED', counts: { ...COUNTS, completed: 20_000, failed: 0 } },
    { status: 'COMPLETED', done: '20,000 of 20,000', failed: '0' },
  ],
  [
    'of which rows were cancelled',
    { ...RUNNING, status: 'COMPLETED', counts: { ...COUNTS, failed: 0, cancelled: 3 } },
    { status: 'CANCELLED 3 of 20,000', done: '8,123 of 20,000', failed: '0' },
  ],
])('the line of a batch %s', (_label, batch, cells) => {
  const always = { started: '2026-11-21T07:00:00.000Z', manifest: 'harbour.csv' };
  expect(listedRow(batch)).toEqual({ ...always, ...cells, batch: 'harbour' });
});
