import { describe, expect, test } from '@jest/globals';
import { Interrupted, Interrupts, isCtrlC, type StopSignal } from '../../../cli/interrupts';

type Sent = readonly [atMs: number, signal: StopSignal];

/** The result of signals that are sent at these times. */
function sent(signals: readonly Sent[], takesSecond: boolean) {
  let [ended, now] = [0, 0];
  const interrupts = new Interrupts(
    () => {
      ended += 1;
    },
    () => now,
  );
  const second = takesSecond ? interrupts.takeSecond() : undefined;
  for (const [at, signal] of signals) {
    now = at;
    interrupts.stop(signal);
  }
  const reasonOf = (signal?: AbortSignal): StopSignal | undefined =>
    signal?.reason instanceof Interrupted ? signal.reason.signal : undefined;
  return { first: reasonOf(interrupts.first), second: reasonOf(second), ended };
}

describe('a command without a meaning for a second signal', () => {
  test.each<[what: string, signals: Sent[], ended: number]>([
    ['stops at the first Ctrl-C', [[0, 'SIGINT']], 0],
    [
      'takes a second Ctrl-C within half a second for the same one, as wrappers send it',
      [
        [0, 'SIGINT'],
        [5, 'SIGINT'],
        [499, 'SIGINT'],
      ],
      0,
    ],
    [
      'ends at once at a later one',
      [
        [0, 'SIGINT'],
        [500, 'SIGINT'],
      ],
      1,
    ],
    [
      'ends at once at a Ctrl-C after SIGTERM',
      [
        [0, 'SIGTERM'],
        [3_000, 'SIGINT'],
      ],
      1,
    ],
    [
      'is asked again by each SIGTERM, and never made to end by it',
      [
        [0, 'SIGTERM'],
        [1_000, 'SIGTERM'],
        [60_000, 'SIGTERM'],
      ],
      0,
    ],
    [
      'takes a Ctrl-C right after a SIGTERM for the same stop',
      [
        [0, 'SIGINT'],
        [1_000, 'SIGTERM'],
        [1_100, 'SIGINT'],
      ],
      0,
    ],
  ])('%s', (_what, signals, ended) => {
    expect(sent(signals, false)).toEqual({ first: signals[0]?.[1], second: undefined, ended });
  });
});

describe('a command with a meaning for the second signal', () => {
  test.each<[what: string, signals: Sent[], second: StopSignal | undefined, ended: number]>([
    [
      'does not get the same Ctrl-C twice',
      [
        [0, 'SIGINT'],
        [5, 'SIGINT'],
      ],
      undefined,
      0,
    ],
    [
      'gets the second Ctrl-C',
      [
        [0, 'SIGINT'],
        [800, 'SIGINT'],
        [805, 'SIGINT'],
      ],
      'SIGINT',
      0,
    ],
    [
      'gets a later SIGTERM as a SIGTERM',
      [
        [0, 'SIGINT'],
        [800, 'SIGTERM'],
      ],
      'SIGTERM',
      0,
    ],
    [
      'ends at once at the third Ctrl-C',
      [
        [0, 'SIGINT'],
        [800, 'SIGINT'],
        [1_600, 'SIGINT'],
      ],
      'SIGINT',
      1,
    ],
  ])('%s', (_what, signals, second, ended) => {
    expect(sent(signals, true)).toEqual({ first: 'SIGINT', second, ended });
  });
});

test('an abort for another reason is not taken for Ctrl-C', () => {
  expect(isCtrlC(AbortSignal.abort(new Interrupted('SIGINT')))).toBe(true);
  expect(isCtrlC(AbortSignal.abort(new Interrupted('SIGTERM')))).toBe(false);
  expect(isCtrlC(AbortSignal.abort())).toBe(false);
  expect(isCtrlC(new AbortController().signal)).toBe(false);
});
