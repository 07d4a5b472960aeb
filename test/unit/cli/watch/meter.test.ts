import { expect, test } from '@jest/globals';
import { createMeter } from '../../../../cli/watch/meter';
import type { Meter } from '../../../../cli/watch/meter';
import { formatBytes, formatSpan } from '../../../../cli/output/plain-text';

const PERIOD_MS = 20_000;

/** A meter after these reports: [second, bytes, bytes of finished parts]. */
function meterOf(...readings: readonly (readonly [number, number, number?])[]): Meter {
  const meter = createMeter(PERIOD_MS);
  for (const [second, bytes, sure = 0] of readings)
    meter.add({ at: second * 1000, done: bytes, sure, earlier: 0 });
  return meter;
}

test('a rate needs two reports', () => {
  expect(meterOf().rate()).toBeUndefined();
  expect(meterOf([1, 500]).rate()).toBeUndefined();
  expect(meterOf([1, 500], [2, 700]).rate()).toBe(200);
});

test('the rate is that of the last 20 seconds', () => {
  expect(meterOf([0, 50_000], [20, 52_000], [25, 52_500], [40, 54_000]).rate()).toBeCloseTo(100);
});

test('a steady rate stays the same even if reports come in steps', () => {
  const meter = createMeter(PERIOD_MS);
  const rates: number[] = [];
  for (let second = 0; second <= 120; second += 1) {
    // 300 kB/s, of which a report shows only what the last full four seconds added.
    const bytes = Math.floor(second / 4) * 4 * 300_000;
    meter.add({ at: second * 1000, done: bytes, sure: 0, earlier: 0 });
    if (second >= 20) rates.push(meter.rate() ?? 0);
  }
  expect(Math.min(...rates)).toBeGreaterThan(280_000);
  expect(Math.max(...rates)).toBeLessThan(320_000);
});

test('the meter is silent while no newer heartbeat arrives', () => {
  const meter = createMeter(PERIOD_MS);
  const add = (second: number, heartbeatAt?: number): void =>
    meter.add({ at: second * 1000, done: 500, sure: 0, earlier: 0, heartbeatAt });
  add(0, 7_000);
  add(8, 7_000);
  expect(meter.silentMs()).toBe(8_000);
  add(9, 8_500);
  expect([meter.silentMs(), meter.stillMs()]).toEqual([0, 9_000]);
  add(20);
  expect(meter.silentMs()).toBe(0);
});

test('bytes that a failed try loses make the meter pause, but never go back', () => {
  const meter = meterOf([0, 1_000, 400], [1, 400, 400], [2, 600, 400]);
  expect(meter.done()).toBe(1_000);
  expect(meter.rate()).toBe(0);
  expect(meter.stillMs()).toBe(2_000);
});

test('the meter moves again once it is further than before', () => {
  const meter = meterOf([0, 1_000], [6, 400], [7, 1_200]);
  expect(meter.done()).toBe(1_200);
  expect(meter.stillMs()).toBe(0);
});

test('parts that are no longer done mean that the upload started again', () => {
  expect(meterOf([0, 1_000, 1_000], [1, 50, 0]).done()).toBe(50);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_960, '1.0 MB'],
  [300_000_000, '300.0 MB'],
  [72_000_000_000, '72.0 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 s'],
  [3_200, '4 s'],
  [125_000, '2 min 05 s'],
  [11_220_000, '3 h 07 min'],
])('%i ms are %s', (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

test('what was done before says nothing about the speed', () => {
  const meter = createMeter(PERIOD_MS);
  for (const [second, done, earlier] of [
    [0, 0, 0],
    [1, 900, 900],
    [2, 910, 900],
  ] as const)
    meter.add({ at: second * 1000, done, sure: done, earlier });
  expect(meter.rate()).toBe(10);
});
