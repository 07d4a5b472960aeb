import { expect, test } from '@jest/globals';
import { createRateMeter } from '../../../cli/transfer-rate';
import { formatBytes, formatSpan } from '../../../cli/units';

test('a rate needs two readings', () => {
  const meter = createRateMeter();
  expect(meter.rate()).toBeUndefined();
  meter.add(1_000, 500);
  expect(meter.rate()).toBeUndefined();
});

test('the rate is that of the last 15 seconds', () => {
  const meter = createRateMeter();
  meter.add(0, 0);
  for (const second of [20, 25, 30]) meter.add(second * 1000, second * 100);
  expect(meter.rate()).toBe(100);
});

test('bytes that a failed try takes back begin a new measurement, never a negative rate', () => {
  const meter = createRateMeter();
  meter.add(0, 1_000);
  meter.add(1_000, 400);
  expect(meter.rate()).toBeUndefined();
  meter.add(2_000, 600);
  expect(meter.rate()).toBe(200);
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
