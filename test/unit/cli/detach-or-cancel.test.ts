import { describe, expect, test } from '@jest/globals';
import { detachOrCancel } from '../../../cli/detach-or-cancel';
import { Interrupts } from '../../../cli/interrupts';
import { keptOutput } from './kept-output';
import { signalsOf, type Sent } from './sent-signals';

/** Two uploads are watched. The first signal has arrived, and the others arrive while the command handles it. */
async function leave(signals: readonly Sent[], { json = false } = {}) {
  let [now, cancelled] = [0, false];
  const { terminal, written } = keptOutput();
  const interrupts = new Interrupts(
    () => undefined,
    () => now,
  );
  const second = interrupts.takeSecond();
  const waiting = [...signals];
  const sendUntil = (ms: number): void => {
    while (waiting[0] !== undefined && waiting[0][0] <= ms) {
      const [at, signal] = waiting.shift() ?? [0, 'SIGINT'];
      now = Math.max(now, at);
      interrupts.stop(signal);
    }
  };
  const clock = {
    now: () => now,
    sleep(ms: number, over?: AbortSignal): Promise<void> {
      if (over?.aborted === true) return Promise.reject(new Error('Aborted.'));
      const until = now + ms;
      sendUntil(until);
      // The signals have arrived meanwhile.
      if (over?.reason !== undefined) return Promise.reject(new Error('Aborted.'));
      now = until;
      return Promise.resolve();
    },
  };
  sendUntil(0);
  const state = await detachOrCancel(
    { terminal, clock, interrupts },
    {
      noun: 'upload',
      seeAgain: ['media-service uploads wait a', 'media-service uploads wait b'],
      json,
      second,
      cancel: () => Promise.resolve(void (cancelled = true)),
    },
  );
  expect(written.stdout).toBe('');
  return { state, cancelled, stderr: written.stderr, tookMs: now };
}

const DETACHED =
  'Detached: the upload continues without this terminal. Watch it again with\n' +
  '  media-service uploads wait a\n  media-service uploads wait b\n';
const HINT = 'Press Ctrl-C again now to cancel it.\n';

describe('after the first signal', () => {
  const DETACHES = { state: 'detached', cancelled: false, stderr: DETACHED + HINT };
  test.each<[what: string, signals: string, result: object]>([
    ['Ctrl-C detaches', 'INT', { ...DETACHES, tookMs: 2_500 }],
    ['Ctrl-C that a wrapper sends twice detaches', 'INT INT+5', { ...DETACHES, tookMs: 2_500 }],
    [
      'a second Ctrl-C cancels',
      'INT INT+1200',
      { ...DETACHES, state: 'cancelling', cancelled: true, tookMs: 1_200 },
    ],
    ['SIGTERM after Ctrl-C detaches at once', 'INT TERM+1200', { ...DETACHES, tookMs: 1_200 }],
    ['SIGTERM detaches at once, without a word', 'TERM', { ...DETACHES, stderr: '', tookMs: 0 }],
  ])('%s', async (_what, signals, result) => {
    expect(await leave(signalsOf(signals))).toEqual(result);
  });

  test('a program that reads JSON gets the same without a message', async () => {
    const cancelled = await leave(signalsOf('INT INT+600'), { json: true });
    expect(cancelled).toEqual({ state: 'cancelling', cancelled: true, stderr: '', tookMs: 600 });
  });
});
