import { describe, expect, it } from '@jest/globals';
import { watchStall } from '../../../../../api/upload/part/part-body';
import { failureOf } from '../failure-of';

/** Watches bytes that follow `bytesAt(ms)`, and ends after two minutes. */
function watch(bytesAt: (ms: number) => number, waits = false): Promise<void> {
  const ending = new AbortController();
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
      if (now >= 120_000) ending.abort();
    },
  };
  const watched = { clock, bytesSoFar: () => bytesAt(now), waitsForSource: () => waits };
  return watchStall({ partNumber: 1, stallMs: 15_000 }, { ...watched, signal: ending.signal });
}

describe('the watch of a part', () => {
  it.each([
    ['bytes leave slowly', (ms: number) => ms / 1000],
    ['a pause is no stall', (ms: number) => (ms > 40_000 && ms < 52_000 ? 40_000_000 : ms * 1000)],
  ])('says nothing while %s', async (_what, bytesAt) => {
    await expect(watch(bytesAt)).resolves.toBeUndefined();
  });

  const stop = (ms: number): number => Math.min(ms, 50_000) * 1000;
  it.each([
    ['no byte ever leaves', 'line', () => 0],
    ['bytes stop on the line', 'line', stop],
    ['bytes stop in the source', 'source', stop],
  ])('aborts the part if %s', async (_what, waitsFor, bytesAt) => {
    const { code, message, facts } = await failureOf(watch(bytesAt, waitsFor === 'source'));
    expect([code, facts.details]).toEqual(['PartStalled', { partNumber: 1, waitsFor }]);
    expect(message).toContain('no byte left for 15000 ms');
    expect(message.includes('source')).toBe(waitsFor === 'source');
  });
});
