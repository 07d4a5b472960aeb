import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  batchPhaseText,
  batchProgressText,
  batchRateText,
  countsText,
  createBatchMeter,
  percentText,
} from '../../../../cli/batch/batch-text';
import type { BatchMeter } from '../../../../cli/batch/batch-text';
import type { LiveBatch } from '../../../../temporal/batch/client/open-batch';
import { NO_ROWS } from '../../../../temporal/batch/counts';
import { liveBatch } from '../live-fixture';

const PROGRESS = liveBatch({
  ...{ rows: 20_000, completed: 8_123, failed: 12, running: 64, waiting: 11_801 },
  ...{ earlier: 20, bytes: 1_200_000_000 },
});
const { counts: COUNTS } = PROGRESS;

/** A meter after ten seconds at this rate and then no progress. */
function meterAt(rowsPerSecond: number, stillSeconds = 0): BatchMeter {
  const meter = createBatchMeter();
  const before = { ...COUNTS, completed: COUNTS.completed - rowsPerSecond * 10, bytes: 0 };
  meter.add({ at: 0, counts: before });
  meter.add({ at: 10_000, counts: COUNTS });
  if (stillSeconds > 0) meter.add({ at: 10_000 + stillSeconds * 1000, counts: COUNTS });
  return meter;
}

test('one line shows everything', () => {
  expect(batchProgressText('harbour', PROGRESS, meterAt(40))).toBe(
    'harbour: uploading, 40% of 20,000 rows, 8,123 completed (20 earlier), 12 failed, 64 running, 11,801 waiting, 1.2 GB, ' +
      '40 rows/s, 120.0 MB/s, 4 min 57 s left',
  );
});

test('unknown values are left out', () => {
  const planning = liveBatch({}, { phase: 'planning' });
  expect(batchProgressText('harbour', planning, createBatchMeter())).toBe('harbour: planning');
});

test.each<[label: string, change: Partial<LiveBatch>, text: string]>([
  [
    'of one that is waiting',
    { phase: 'planning', waitReason: { code: 'Transport', message: 'S3 does not answer.' } },
    'planning (retrying: S3 does not answer)',
  ],
  [
    'of one that paused itself and waits',
    {
      phase: 'paused',
      pausedBecause: '5 rows have failed.',
      waitReason: { code: 'OutputFailed', message: 'the disk is full' },
    },
    'paused (5 rows have failed; retrying: the disk is full)',
  ],
  ['of one that runs', {}, 'uploading'],
  ['of one that was paused', { phase: 'paused' }, 'paused'],
  [
    'of one that paused itself',
    { phase: 'paused', pausedBecause: '5 rows have failed.\u001b[2J' },
    'paused (5 rows have failed)',
  ],
  ['of one that is nearly over', { phase: 'closing' }, 'writing the results'],
  ['of one that was resumed', { pausedBecause: '5 rows have failed.' }, 'uploading'],
])('the phase %s', (_label, change, text) => {
  expect(batchPhaseText({ ...PROGRESS, ...change })).toBe(text);
});

test.each<[label: string, change: Partial<LiveBatch>, meter: BatchMeter, text: string]>([
  ['is empty before there are two readings', {}, createBatchMeter(), ''],
  ['is empty while the batch is paused', { phase: 'paused' }, meterAt(40), ''],
  ['has a decimal if it is slow', {}, meterAt(2), '2.0 rows/s, 120.0 MB/s, 1 h 38 min left'],
  ['is replaced by the time without an ended row', {}, meterAt(40, 45), 'no row ended for 45 s'],
])('the rate %s', (_label, change, meter, text) => {
  expect(batchRateText({ ...PROGRESS, ...change }, meter)).toBe(text);
});

test('counts name what exists, and always the completed rows', () => {
  expect(countsText(NO_ROWS)).toBe('0 completed');
  expect(countsText({ ...NO_ROWS, completed: 3, cancelled: 1 })).toBe('3 completed, 1 cancelled');
});

test('100 % is only shown if all rows of the batch have ended', () => {
  const part = fc.nat(1_000_000);
  fc.assert(
    fc.property(part, part, part, part, (completed, failed, cancelled, waiting) => {
      const rows = completed + failed + cancelled + waiting;
      const counts = { ...NO_ROWS, rows, completed, failed, cancelled, waiting };
      const percent = parseInt(percentText(counts), 10);
      expect(percent).toBeGreaterThanOrEqual(0);
      expect(percent === 100).toBe(waiting === 0 && rows > 0);
    }),
  );
});
