import { describe, expect, test } from '@jest/globals';
import type { LiveProgress } from '../../../../temporal/client/upload-handle';
import { createTransferMeter, type TransferMeter } from '../../../../cli/progress/transfer-meter';
import { bytesSoFar, phaseText, progressLine, rateText } from '../../../../cli/progress/progress-text';

const HALF: LiveProgress = {
  phase: 'uploading',
  paused: false,
  bytesTotal: 300_000_000,
  bytesDone: 100_000_000,
  bytesInFlight: 50_000_000,
  partsTotal: 15,
  partsDone: 5,
  partsRunning: [6, 7],
  retries: 0,
};

/** A meter of an upload that is half through, at this rate (undefined: after its first reading), which has then stood still. */
function half(rate: number | undefined, stillSeconds = 0): TransferMeter {
  const meter = createTransferMeter();
  const bytes = bytesSoFar(HALF);
  if (rate !== undefined) meter.add({ at: 0, bytes: bytes - rate, bytesDone: 0 });
  for (const second of [1, 1 + stillSeconds]) meter.add({ at: second * 1000, bytes, bytesDone: 0 });
  return meter;
}

test('bytes under way count, and never more than the file has', () => {
  expect(bytesSoFar(HALF)).toBe(150_000_000);
  expect(bytesSoFar({ ...HALF, bytesInFlight: 900_000_000 })).toBe(300_000_000);
});

test('one line tells all', () => {
  expect(progressLine('clip.mp4', { ...HALF, retries: 1 }, half(50_000_000))).toBe(
    'clip.mp4: uploading, 50% (150.0 MB of 300.0 MB), 5 of 15 parts, 50.0 MB/s, 3 s left, 1 retry',
  );
});

test('what is not known yet is left out', () => {
  const { bytesTotal: _bytes, partsTotal: _parts, ...begun } = HALF;
  expect(
    progressLine('clip.mp4', { ...begun, phase: 'pinning', bytesDone: 0, bytesInFlight: 0 }, half(undefined)),
  ).toBe('clip.mp4: pinning');
});

describe('the phase', () => {
  test('is paused only while bytes would move', () => {
    expect(phaseText({ ...HALF, paused: true })).toBe('paused');
    expect(phaseText({ ...HALF, paused: true, phase: 'processing' })).toBe('processing');
  });

  test('names the status of the session, unknown ones too', () => {
    expect(phaseText({ ...HALF, phase: 'processing', sessionStatus: 'ASSEMBLING' })).toBe(
      'processing (ASSEMBLING)',
    );
  });
});

test.each([
  ['nothing moved', HALF, 0],
  ['there is nothing to tell from', HALF, undefined],
  ['it is paused', { ...HALF, paused: true }, 10],
  ['nothing is sent any more', { ...HALF, phase: 'processing' as const }, 10],
])('no rate is shown where %s', (_label, progress, rate) => {
  expect(rateText(progress, half(rate))).toBe('');
});

test('what stands still shows for how long, and promises no end', () => {
  expect(rateText(HALF, half(50_000_000, 4))).toBe('10.0 MB/s, 15 s left');
  expect(rateText(HALF, half(50_000_000, 12))).toBe('nothing new for 12 s');
});
