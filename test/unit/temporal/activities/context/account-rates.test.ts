import { describe, expect, it } from '@jest/globals';
import type { AccountLimits } from '../../../../../api/account/account';
import type { Clock } from '../../../../../api/clock';
import { createAccountRates } from '../../../../../temporal/activities/context/account-rates';
import type { AccountRates } from '../../../../../temporal/activities/context/account-rates';

const never = new AbortController().signal;

/** Sleeps are recorded and take no time. */
function ratesOf(
  limits: AccountLimits,
  workers = 1,
): { readonly rates: AccountRates; readonly waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 1_000_000,
    sleep: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  };
  const workersOf = (): Promise<number> => Promise.resolve(workers);
  return { rates: createAccountRates({ clock, limitsOf: () => limits, workersOf }), waits };
}

function part(partNumber: number, batch?: string, queue = 'q') {
  return { accountId: 'a', queue, partNumber, batch };
}

describe('the limits of an account', () => {
  it('space calls evenly, by the share of this worker', async () => {
    const { rates, waits } = ratesOf({ callsPerSecond: 4 }, 2);
    for (let n = 0; n < 3; n += 1) await rates.admitCall('a', never);
    expect(waits).toEqual([500, 1_000]);
  });

  it('space parts for each queue, and those of each batch', async () => {
    const { rates, waits } = ratesOf({ partsPerSecond: 10, batchPartsPerSecond: 1 });
    await rates.admitPart(part(1, 'one'), never);
    await rates.admitPart(part(2, 'two'), never);
    expect(waits).toEqual([100]);
    await rates.admitPart(part(3, 'one', 'another queue'), never);
    expect(waits).toEqual([100]);
    await rates.admitPart(part(4, 'one'), never);
    expect(waits).toEqual([100, 1_000]);
  });

  it('keep no turn for a part that may not wait that long', async () => {
    const { rates, waits } = ratesOf({ partsPerSecond: 10, batchPartsPerSecond: 1 });
    await rates.admitPart(part(1, 'one'), never);
    const hasty = { ...part(2, 'one'), maxWaitMs: 999 };
    await expect(rates.admitPart(hasty, never)).rejects.toMatchObject({ code: 'WorkerBusy' });
    await rates.admitPart(part(3, 'two'), never);
    await rates.admitPart(part(4, 'one'), never);
    await rates.admitPart({ ...part(5, 'one'), maxWaitMs: 2_000 }, never);
    expect(waits).toEqual([100, 1_000, 2_000]);
  });

  it('do not delay what they do not name', async () => {
    const { rates, waits } = ratesOf({});
    for (let n = 0; n < 100; n += 1) {
      await rates.admitCall('a', never);
      await rates.admitPart(part(n, 'one'), never);
    }
    expect(waits).toEqual([]);
  });

  it('refuse requests that would wait for long as not sent, with the time to come again', async () => {
    const { rates } = ratesOf({ callsPerSecond: 0.05 });
    await rates.admitCall('a', never);
    await expect(rates.admitCall('a', never)).rejects.toMatchObject({
      code: 'WorkerBusy',
      facts: { outcome: 'unsent', retryAfterMs: 5_000, hint: expect.stringContaining('callsPerSecond') },
    });
  });
});
