import { expect, test } from '@jest/globals';
import { createProgressLines } from '../../../../cli/progress/progress-view';
import type { LiveProgress } from '../../../../temporal/upload/client/open-upload';
import { keptOutput } from '../kept-output';
import { BEGUN } from '../live-fixture';

const SENDING: LiveProgress = { ...BEGUN, bytesTotal: 100, partsRunning: [1], partsTotal: 2 };

/** Shows reports at these times (s) and returns the lines. */
function linesOf(
  readings: ReadonlyArray<readonly [second: number, change: Partial<LiveProgress>]>,
): string[] {
  let now = 0;
  const { terminal, written } = keptOutput();
  const view = createProgressLines(terminal, {
    now: () => now,
    uploads: [{ id: 'upload/a', file: 'clip.mp4' }],
  });
  for (const [second, change] of readings) {
    now = second * 1000;
    view.show('upload/a', { ...SENDING, ...change });
  }
  expect(written.stdout).toBe('');
  return written.stderr.trimEnd().split('\n');
}

test('a line comes at first, then every five seconds while bytes move', () => {
  expect(
    linesOf([
      [0, {}],
      [1, { bytesInFlight: 10 }],
      [4, { bytesInFlight: 40 }],
      [5, { bytesInFlight: 50 }],
      [6, { bytesInFlight: 60 }],
    ]),
  ).toEqual([
    'clip.mp4: uploading, 0% (0 B of 100 B), 0 of 2 parts',
    'clip.mp4: uploading, 50% (50 B of 100 B), 0 of 2 parts, 10 B/s, 5 s left',
  ]);
});

test('nothing is repeated while nothing moves', () => {
  expect(
    linesOf([
      [0, {}],
      [60, {}],
      [120, {}],
    ]),
  ).toHaveLength(1);
});

test('a wait for a slot is reported once', () => {
  const waiting = { waitsForSlot: true } as const;
  const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  expect(linesOf(seconds.map((second) => [second, { ...waiting, heartbeatAt: second }] as const))).toEqual([
    'clip.mp4: uploading, 0% (0 B of 100 B), 0 of 2 parts',
    'clip.mp4: uploading, 0% (0 B of 100 B), 0 of 2 parts, waiting for a slot',
  ]);
});

test('a new phase is reported at once', () => {
  expect(
    linesOf([
      [0, {}],
      [1, { paused: true }],
      [2, { phase: 'processing', bytesDone: 100, partsDone: 2, sessionStatus: 'PENDING_COMPLETE' }],
    ]),
  ).toEqual([
    'clip.mp4: uploading, 0% (0 B of 100 B), 0 of 2 parts',
    'clip.mp4: paused, 0% (0 B of 100 B), 0 of 2 parts',
    'clip.mp4: processing (PENDING_COMPLETE), 100% (100 B of 100 B), 2 of 2 parts',
  ]);
});
