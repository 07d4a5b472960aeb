import fc from 'fast-check';
import type { AccountLimits } from '../../../../../api/account';
import { Rates } from '../../../../../temporal/worker/limits/rates';
import { fakeClock } from '../../../api/fake-clock';

const { signal } = new AbortController();

function limited(limits: AccountLimits) {
  const clock = fakeClock(0);
  return { clock, rates: new Rates(clock, () => limits) };
}

function part(partNumber: number, queue = 'q') {
  return { accountId: 'a', queue, partNumber, url: 'https://s.example/part' };
}

describe('the limits of an account', () => {
  it('space calls evenly', async () => {
    const { rates, clock } = limited({ callsPerSecond: 2 });
    for (let n = 0; n < 3; n += 1) await rates.admitCall('a', signal);
    expect(clock.slept).toEqual([500, 500]);
  });

  it('space parts for each queue', async () => {
    const { rates, clock } = limited({ partsPerSecond: 10 });
    await rates.admitPart(part(1), signal);
    await rates.admitPart(part(2), signal);
    await rates.admitPart(part(3, 'another queue'), signal);
    expect(clock.slept).toEqual([100]);
  });

  it('space parts for each storage host, by its own number or that of all others', async () => {
    const { rates, clock } = limited({ storagePartsPerSecond: { 'a.example': 10, '*': 2 } });
    for (const host of ['a.example', 'b.example', 'c.example', 'a.example', 'b.example'])
      await rates.admitPart({ ...part(1), url: `https://${host}/part?X-Amz-Date=1` }, signal);
    expect(clock.slept).toEqual([100, 400]);
  });

  it('do not delay what they do not name', async () => {
    const { rates, clock } = limited({});
    for (let n = 0; n < 100; n += 1) {
      await rates.admitCall('a', signal);
      await rates.admitPart(part(n), signal);
    }
    expect(clock.slept).toEqual([]);
  });

  it('refuse requests that would wait for long as not sent, with the time to come again', async () => {
    const { rates } = limited({ callsPerSecond: 0.05 });
    await rates.admitCall('a', signal);
    await expect(rates.admitCall('a', signal)).rejects.toMatchObject({
      code: 'WorkerBusy',
      message: 'a call of the service: not begun, because too many wait for callsPerSecond of the account',
      facts: { outcome: 'unsent', retryAfterMs: 5_000, hint: expect.stringContaining('callsPerSecond') },
    });
  });
});

describe('the rate of a limit', () => {
  it('saves nothing up while nobody sends', async () => {
    const { clock, rates } = limited({ partsPerSecond: 1 });
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
        async (partsPerSecond, parts) => {
          const { clock, rates } = limited({ partsPerSecond });
          for (let before = 0; before < parts; before += 1) {
            await rates.admitPart(part(before), signal);
            expect(before).toBeLessThanOrEqual((partsPerSecond * clock.now()) / 1000 + 1e-6);
          }
        },
      ),
    );
  });

  it('makes parts wait until their signal aborts', async () => {
    const { rates } = limited({ partsPerSecond: 1 });
    await rates.admitPart(part(7), signal);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(rates.admitPart(part(7), aborted)).rejects.toThrow('enough');
  });
});
