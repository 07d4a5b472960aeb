import { describe, expect, test } from '@jest/globals';
import type { LiveProgress } from '../../../../temporal/upload/client/open-upload';
import { bytesSoFar, createTransferMeter } from '../../../../cli/progress/total-progress';
import type { TransferMeter } from '../../../../cli/progress/total-progress';
import { phaseText, rateText, uploadProgressText } from '../../../../cli/progress/progress-view';

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

/** A meter of a half-finished upload at this rate (undefined: after its first report), and then without progress. */
function half(rate: number | undefined, stillSeconds = 0): TransferMeter {
  const meter = createTransferMeter();
  const bytes = bytesSoFar(HALF);
  if (rate !== undefined) meter.add({ at: 0, bytes: bytes - rate, bytesDone: 0 });
  for (const second of [1, 1 + stillSeconds]) meter.add({ at: second * 1000, bytes, bytesDone: 0 });
  return meter;
}

test('one line shows everything', () => {
  expect(uploadProgressText('clip.mp4', { ...HALF, retries: 1 }, half(50_000_000))).toBe(
    'clip.mp4: uploading, 50% (150.0 MB of 300.0 MB), 5 of 15 parts, 50.0 MB/s, 3 s left, 1 retry',
  );
});

test('unknown values are left out', () => {
  const { bytesTotal: _bytes, partsTotal: _parts, ...begun } = HALF;
  expect(
    uploadProgressText(
      'clip.mp4',
      { ...begun, phase: 'pinning', bytesDone: 0, bytesInFlight: 0 },
      half(undefined),
    ),
  ).toBe('clip.mp4: pinning');
});

describe('the phase', () => {
  test('is paused only while bytes would move', () => {
    expect(phaseText({ ...HALF, paused: true })).toBe('paused');
    expect(phaseText({ ...HALF, paused: true, phase: 'processing' })).toBe('processing');
  });

  test('names the status of the session, even an unknown one', () => {
    expect(phaseText({ ...HALF, phase: 'processing', sessionStatus: 'ASSEMBLING' })).toBe(
      'processing (ASSEMBLING)',
    );
  });
});

test.each([
  ['nothing moved', HALF, 0],
  ['nothing is known yet', HALF, undefined],
  ['it is paused', { ...HALF, paused: true }, 10],
  ['nothing is sent any more', { ...HALF, phase: 'processing' as const }, 10],
])('no rate is shown if %s', (_label, progress, rate) => {
  expect(rateText(progress, half(rate))).toBe('');
});

describe('an upload without progress', () => {
  /** Checked every second: ten seconds at 10 MB/s, then no new byte. */
  function stillFor(seconds: number, lastHeartbeat: number): TransferMeter {
    const meter = createTransferMeter();
    for (let second = 0; second <= 10 + seconds; second += 1) {
      const bytes = 50_000_000 + Math.min(second, 10) * 10_000_000;
      meter.add({ at: second * 1000, bytes, bytesDone: 0, heartbeatAt: Math.min(second, lastHeartbeat) });
    }
    return meter;
  }

  test('shows its rate while heartbeats come', () => {
    expect(rateText(HALF, stillFor(4, 14))).toMatch(/^[1-9]\.\d MB\/s, \d+ s left$/);
  });

  test('says that it has no news when heartbeats stop, and promises no end time', () => {
    expect(rateText(HALF, stillFor(9, 10))).not.toContain('no news');
    expect(rateText(HALF, stillFor(12, 10))).toBe('no news for 12 s');
  });

  test('says that it waits for a slot if none of its parts has begun', () => {
    const waiting = { ...HALF, bytesInFlight: 0, waitsForSlot: true } as const;
    expect(rateText(waiting, stillFor(6, 16))).toBe('waiting for a slot');
    expect(rateText(waiting, stillFor(2, 12))).toContain('MB/s');
  });

  test('says that it waits if a step is retried: the reason has a line of its own', () => {
    const waitReason = { code: 'StorageBusy', message: 'storage is busy' } as const;
    expect(rateText({ ...HALF, waitsForSlot: true, waitReason }, stillFor(6, 16))).toBe('waiting');
  });
});
