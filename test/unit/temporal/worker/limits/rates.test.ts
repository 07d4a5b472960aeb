import fc from 'fast-check';
import type { AccountLimits } from '../../../../../api/account';
import type { Clock } from '../../../../../api/clock';
import { Rates } from '../../../../../temporal/worker/limits/rates';
import { fakeClock } from '../../../api/fake-clock';

const { signal } = new AbortController();

/** Sleeps are recorded and take no time. */
function frozen(limits: AccountLimits): { readonly rates: Rates; readonly waits: number[] } {
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { rates: new Rates({ now: () => 1_000_000, sleep }, () => limits), waits };
}

function part(partNumber: number, queue = 'q') {
  return { accountId: 'a', queue, partNumber, url: 'https://s.example/part' };
}

describe('the limits of an account', () => {
  it('space calls evenly', async () => {
    const { rates, waits } = frozen({ callsPerSecond: 2 });
    for (let n = 0; n < 3; n += 1) await rates.admitCall('a', signal);
    expect(waits).toEqual([500, 1_000]);
  });

  it('space parts for each queue', async () => {
    const { rates, waits } = frozen({ partsPerSecond: 10 });
    await rates.admitPart(part(1), signal);
    await rates.admitPart(part(2), signal);
    await rates.admitPart(part(3, 'another queue'), signal);
    expect(waits).toEqual([100]);
  });

  it('space parts for each storage host, by its own number or that of all others', async () => {
    const { rates, waits } = frozen({ storagePartsPerSecond: { 'a.example': 10, '*': 2 } });
    for (const host of ['a.example', 'b.example', 'c.example', 'a.example', 'b.example'])
      await rates.admitPart({ ...part(1), url: `https://${host}/part?X-Amz-Date=1` }, signal);
    expect(waits).toEqual([100, 500]);
  });

  it('do not delay what they do not name', async () => {
    const { rates, waits } = frozen({});
    for (let n = 0; n < 100; n += 1) {
      await rates.admitCall('a', signal);
      await rates.admitPart(part(n), signal);
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

describe('the rate of a limit', () => {
  const perSecond = (limit: number, clock: Clock): Rates =>
    new Rates(clock, () => ({ partsPerSecond: limit }));

  it('saves nothing up while nobody sends', async () => {
    const clock = fakeClock();
    const rates = perSecond(1, clock);
    await rates.admitPart(part(7), signal);
    clock.advance(60_000);
    await rates.admitPart(part(7), signal);
    await rates.admitPart(part(7), signal);
    expect(clock.slept).toEqual([1000]);
  });

  it('is never exceeded by more than one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 20 }),
        async (limit, parts) => {
          const clock = fakeClock(0);
          const rates = perSecond(limit, clock);
          for (let before = 0; before < parts; before += 1) {
            await rates.admitPart(part(before), signal);
            expect(before).toBeLessThanOrEqual((limit * clock.now()) / 1000 + 1e-6);
          }
        },
      ),
    );
  });

  it('makes parts wait until their signal aborts', async () => {
    const rates = perSecond(1, fakeClock());
    await rates.admitPart(part(7), signal);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(rates.admitPart(part(7), aborted)).rejects.toThrow('enough');
  });
});
