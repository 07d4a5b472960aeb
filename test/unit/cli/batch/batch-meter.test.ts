import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBatchMeter, endedRows } from '../../../../cli/batch/batch-text';
import type { BatchMeter } from '../../../../cli/batch/batch-text';
import type { BatchCounts } from '../../../../temporal/batch/types';

function counts(change: Partial<BatchCounts>): BatchCounts {
  const zero = { completed: 0, failed: 0, cancelled: 0, running: 0, earlier: 0, bytes: 0 };
  const of = { rows: 1000, ...zero, ...change };
  return { waiting: of.rows - of.completed - of.failed - of.cancelled - of.running, ...of };
}

/** A meter after reports at these seconds. */
function after(...readings: [second: number, change: Partial<BatchCounts>][]): BatchMeter {
  const meter = createBatchMeter();
  for (const [second, change] of readings) meter.add({ at: second * 1000, counts: counts(change) });
  return meter;
}

describe('rate and time left', () => {
  test('are unknown before the second report, and if nothing ended', () => {
    expect(after([0, {}]).rowsPerSecond()).toBeUndefined();
    expect(after([0, {}]).leftMs()).toBeUndefined();
    const idle = after([0, {}], [10, {}]);
    expect({ rate: idle.rowsPerSecond(), left: idle.leftMs() }).toEqual({ rate: 0, left: undefined });
  });

  test('count rows that completed or failed, and the bytes of the completed ones', () => {
    const meter = after(
      [0, {}],
      [10, { completed: 80, failed: 15, cancelled: 5, running: 50, bytes: 4_000 }],
    );
    expect(meter.rowsPerSecond()).toBe(10);
    expect(meter.bytesPerSecond()).toBe(400);
    expect(meter.leftMs()).toBe(90_000);
  });

  test('leave out the work of earlier runs', () => {
    const meter = after(
      [0, {}],
      [1, { completed: 500, earlier: 500 }],
      [11, { completed: 520, earlier: 500 }],
    );
    expect(meter.rowsPerSecond()).toBe(2);
    expect(meter.leftMs()).toBe(240_000);
  });

  test('forget everything older than a minute', () => {
    const meter = after([0, {}], [60, { completed: 600 }], [120, { completed: 660 }]);
    expect(meter.rowsPerSecond()).toBe(1);
  });

  test('start again when the batch is started again', () => {
    const meter = after([0, { completed: 100 }], [10, { completed: 0 }]);
    expect(meter.rowsPerSecond()).toBeUndefined();
  });

  test('never promise a negative time or a negative rate', () => {
    const step = fc.record({
      ms: fc.nat(20_000),
      completed: fc.nat(50),
      failed: fc.nat(5),
      bytes: fc.nat(10_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const meter = createBatchMeter();
        let [at, completed, failed, bytes] = [0, 0, 0, 0];
        for (const one of steps) {
          [at, completed, failed, bytes] = [
            at + one.ms,
            completed + one.completed,
            failed + one.failed,
            bytes + one.bytes,
          ];
          meter.add({ at, counts: counts({ rows: 10_000, completed, failed, bytes }) });
          expect(meter.rowsPerSecond() ?? 0).toBeGreaterThanOrEqual(0);
          expect(meter.bytesPerSecond() ?? 0).toBeGreaterThanOrEqual(0);
          expect(meter.leftMs() ?? 0).toBeGreaterThanOrEqual(0);
          expect(meter.stillMs()).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(meter.leftMs() ?? 0)).toBe(true);
        }
      }),
    );
  });

  test('are exact at a steady speed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 2, max: 50 }), (perSecond, seconds) => {
        const rows = 100_000;
        const meter = createBatchMeter();
        for (let second = 0; second <= seconds; second += 1) {
          meter.add({ at: second * 1000, counts: counts({ rows, completed: second * perSecond }) });
        }
        expect(meter.rowsPerSecond()).toBeCloseTo(perSecond, 6);
        expect(meter.leftMs()).toBeCloseTo(((rows - seconds * perSecond) / perSecond) * 1000, 3);
      }),
    );
  });
});

describe('a batch without progress', () => {
  test('is measured from the last row that ended', () => {
    expect(after([0, {}], [5, { completed: 1 }], [25, { completed: 1, running: 3 }]).stillMs()).toBe(20_000);
  });

  test('moves again with the next row', () => {
    expect(after([0, {}], [25, { failed: 1 }]).stillMs()).toBe(0);
  });
});

test('rows of this run are those that earlier runs had not completed', () => {
  expect(endedRows(counts({ completed: 10, earlier: 4, failed: 2, cancelled: 1 }))).toBe(9);
});
