import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AccountLimits } from '../../../../../api/account';
import { createRates } from '../../../../../temporal/worker/limits/rates';
import type { Rates, StorageLimits } from '../../../../../temporal/worker/limits/rates';
import { fakeClock } from '../../../api/fake-clock';

const URL_A = 'https://a.example/part?X-Amz-Signature=1';
const URL_B = 'https://b.example:9000/part';
const { signal } = new AbortController();

/** Sleeps are recorded and take no time. */
function frozen(limits: AccountLimits): { readonly rates: Rates; readonly waits: number[] } {
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { rates: createRates({ clock: { now: () => 1_000_000, sleep }, limitsOf: () => limits }), waits };
}

function part(partNumber: number, batch?: string, queue = 'q') {
  return { accountId: 'a', queue, partNumber, batch };
}

describe('the limits of an account', () => {
  it('space calls evenly', async () => {
    const { rates, waits } = frozen({ callsPerSecond: 2 });
    for (let n = 0; n < 3; n += 1) await rates.admitCall('a', signal);
    expect(waits).toEqual([500, 1_000]);
  });

  it('space parts for each queue, and those of each batch', async () => {
    const { rates, waits } = frozen({ partsPerSecond: 10, batchPartsPerSecond: 1 });
    await rates.admitPart(part(1, 'one'), signal);
    await rates.admitPart(part(2, 'two'), signal);
    expect(waits).toEqual([100]);
    await rates.admitPart(part(3, 'one', 'another queue'), signal);
    expect(waits).toEqual([100]);
    await rates.admitPart(part(4, 'one'), signal);
    expect(waits).toEqual([100, 1_000]);
  });

  it('keep no turn for a part that may not wait that long', async () => {
    const { rates, waits } = frozen({ partsPerSecond: 10, batchPartsPerSecond: 1 });
    await rates.admitPart(part(1, 'one'), signal);
    const hasty = { ...part(2, 'one'), maxWaitMs: 999 };
    await expect(rates.admitPart(hasty, signal)).rejects.toMatchObject({ code: 'WorkerBusy' });
    await rates.admitPart(part(3, 'two'), signal);
    await rates.admitPart(part(4, 'one'), signal);
    await rates.admitPart({ ...part(5, 'one'), maxWaitMs: 2_000 }, signal);
    expect(waits).toEqual([100, 1_000, 2_000]);
  });

  it('do not delay what they do not name', async () => {
    const { rates, waits } = frozen({});
    for (let n = 0; n < 100; n += 1) {
      await rates.admitCall('a', signal);
      await rates.admitPart(part(n, 'one'), signal);
    }
    expect(waits).toEqual([]);
  });

  it('refuse requests that would wait for long as not sent, with the time to come again', async () => {
    const { rates } = frozen({ callsPerSecond: 0.05 });
    await rates.admitCall('a', signal);
    await expect(rates.admitCall('a', signal)).rejects.toMatchObject({
      code: 'WorkerBusy',
      message: 'a call of the service: not begun, because too many wait for callsPerSecond of the account',
      facts: { outcome: 'unsent', retryAfterMs: 5_000, hint: expect.stringContaining('callsPerSecond') },
    });
  });
});

/** Begins parts at these URLs one after the other, and returns the waits between them. */
async function waitsOf(storageLimits: StorageLimits, urls: readonly string[]): Promise<readonly number[]> {
  const clock = fakeClock();
  const rates = createRates({ clock, limitsOf: () => ({}), storageLimits });
  for (const url of urls) await rates.admitToHost({ url, partNumber: 7 }, signal);
  return clock.slept;
}

describe('the rate of parts at a storage host', () => {
  it.each<[label: string, limits: StorageLimits, urls: readonly string[], waits: readonly number[]]>([
    [
      'follows its limit, and hosts without a limit never wait',
      { 'a.example': 2 },
      [URL_A, URL_B, URL_A, URL_B],
      [500],
    ],
    [
      'is counted per host if one limit is for all hosts without a name',
      { 'a.example': 1000, '*': 1 },
      [URL_B, 'https://c.example/part', URL_B],
      [1000],
    ],
    [
      'follows the limit that names its port',
      { 'b.example:9000': 1, 'b.example': 10 },
      [URL_B, URL_B, 'https://b.example/part', 'https://b.example/part'],
      [1000, 100],
    ],
  ])('%s', async (_label, limits, urls, waits) => {
    expect(await waitsOf(limits, urls)).toEqual(waits);
  });

  it('saves nothing up while nobody sends', async () => {
    const clock = fakeClock();
    const rates = createRates({ clock, limitsOf: () => ({}), storageLimits: { '*': 1 } });
    const begin = (): Promise<void> => rates.admitToHost({ url: URL_A, partNumber: 7 }, signal);
    await begin();
    clock.advance(60_000);
    await begin();
    await begin();
    expect(clock.slept).toEqual([1000]);
  });

  it('never exceeds the limit by more than one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 20 }),
        async (limit, parts) => {
          const clock = fakeClock(0);
          const rates = createRates({ clock, limitsOf: () => ({}), storageLimits: { 'a.example': limit } });
          for (let before = 0; before < parts; before += 1) {
            await rates.admitToHost({ url: URL_A, partNumber: before }, signal);
            expect(before).toBeLessThanOrEqual((limit * clock.now()) / 1000 + 1e-6);
          }
        },
      ),
    );
  });

  it('refuses parts at once that would wait for long, with the time to come back', async () => {
    const clock = { ...fakeClock(), sleep: () => Promise.resolve() };
    const rates = createRates({ clock, limitsOf: () => ({}), storageLimits: { '*': 1 } });
    const begin = (): Promise<void> => rates.admitToHost({ url: URL_A, partNumber: 7 }, signal);
    for (let n = 0; n <= 15; n += 1) await begin();
    await expect(begin()).rejects.toMatchObject({
      code: 'WorkerBusy',
      message: 'part 7: not begun, because too many wait for the parts per second of a.example',
      facts: { outcome: 'unsent', retryAfterMs: 1_000 },
    });
  });

  it('makes parts wait until their signal aborts', async () => {
    const rates = createRates({ clock: fakeClock(), limitsOf: () => ({}), storageLimits: { '*': 1 } });
    await rates.admitToHost({ url: URL_A, partNumber: 7 }, signal);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(rates.admitToHost({ url: URL_A, partNumber: 7 }, aborted)).rejects.toThrow('enough');
  });
});
