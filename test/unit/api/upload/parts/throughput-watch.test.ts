import { describe, expect, it } from '@jest/globals';
import { watchThroughput } from '../../../../../api/upload/parts/part-body';
import { failureOf } from '../failure-of';

/** Watches bytes that follow `bytesAt(ms)`, and ends after `endMs`. */
function watch(
  bytesAt: (ms: number) => number,
  minimumThroughput: number,
  waitsForSource: (ms: number) => boolean = () => false,
): Promise<void> {
  const endMs = 120_000;
  const ending = new AbortController();
  let now = 0;
  return watchThroughput(
    { partNumber: 1, stallMs: 15_000, minimumThroughput },
    {
      clock: {
        now: () => now,
        sleep: async (ms) => {
          now += ms;
          if (now >= endMs) ending.abort();
        },
      },
      bytesSoFar: () => bytesAt(now),
      waitsForSource: () => waitsForSource(now),
      signal: ending.signal,
    },
  );
}

describe('the throughput check of a part', () => {
  it.each([
    ['bytes leave fast enough', (ms: number) => ms * 1000],
    ['a pause is no stall', (ms: number) => (ms > 40_000 && ms < 52_000 ? 40_000_000 : ms * 1000)],
  ])('says nothing while %s', async (_what, bytesAt) => {
    await expect(watch(bytesAt, 65_536)).resolves.toBeUndefined();
  });

  it.each([
    ['no byte ever leaves', () => 0, 'no byte left for 15000 ms'],
    ['bytes stop in the middle', (ms: number) => Math.min(ms, 50_000) * 1000, 'no byte left for 15000 ms'],
    ['bytes leave too slowly from the start', (ms: number) => ms * 10, '10000 bytes a second'],
    ['bytes leave too slowly later', (ms: number) => (ms < 20_000 ? ms * 1000 : 20_000_000 + ms), '65536'],
  ])('aborts the part if %s', async (_what, bytesAt, message) => {
    const error = await failureOf(watch(bytesAt, 65_536));
    expect([error.code, error.message]).toEqual(['PartStalled', expect.stringContaining(message)]);
  });

  const stop = (ms: number): number => Math.min(ms, 50_000) * 1000;
  const trickle = (ms: number): number => ms * 10;
  it.each([
    ['source', 'stop with the source', stop, (ms: number) => ms > 50_000],
    ['source', 'trickle from the source', trickle, (ms: number) => ms % 15_000 !== 0],
    ['line', 'stop on the line', stop, (ms: number) => ms < 50_000],
    ['line', 'trickle on the line', trickle, (ms: number) => ms % 15_000 === 0],
  ])('says that it waits for the %s if bytes %s', async (waitsFor, _what, bytesAt, waits) => {
    const { facts, message } = await failureOf(watch(bytesAt, 65_536, waits));
    expect(facts.details).toEqual({ partNumber: 1, waitsFor });
    expect(message.includes('source')).toBe(waitsFor === 'source');
  });

  it('accepts any rate when no minimum is set', async () => {
    await expect(watch((ms) => ms / 1000, 0)).resolves.toBeUndefined();
  });
});
