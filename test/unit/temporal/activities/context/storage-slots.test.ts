import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Clock } from '../../../../../api/clock';
import { createStorageSlots } from '../../../../../temporal/activities/context/storage-slots';
import type { StorageSlots } from '../../../../../temporal/activities/context/storage-slots';
import { fakeClock } from '../../../api/fake-clock';

const URL_A = 'https://a.example/part?X-Amz-Signature=1';
const URL_B = 'https://b.example:9000/part';
const slotsOf = (limits: Readonly<Record<string, number>>, clock: Clock): StorageSlots =>
  createStorageSlots({ limits, clock, workers: () => Promise.resolve(1) });
const { signal } = new AbortController();

const take = (slots: StorageSlots, url: string, aborts: AbortSignal = signal): Promise<void> =>
  slots.take({ url, partNumber: 7 }, aborts);

describe('the request rate at a storage host', () => {
  it('follows its limit, and hosts without a limit never wait', async () => {
    const clock = fakeClock();
    const slots = slotsOf({ 'a.example': 2 }, clock);
    for (let n = 0; n < 4; n += 1) {
      await take(slots, URL_A);
      await take(slots, URL_B);
    }
    expect(clock.slept).toEqual([500, 500, 500]);
  });

  it('is counted per host if one limit is for all hosts without a name', async () => {
    const clock = fakeClock();
    const slots = slotsOf({ 'a.example': 1000, '*': 1 }, clock);
    await take(slots, URL_B);
    await take(slots, 'https://c.example/part');
    expect(clock.slept).toEqual([]);
    await take(slots, URL_B);
    expect(clock.slept).toEqual([1000]);
  });

  it('of a host with a port follows the limit that names it', async () => {
    const clock = fakeClock();
    const limits = { 'b.example:9000': 1, 'b.example': 10 };
    const slots = slotsOf(limits, clock);
    for (let n = 0; n < 2; n += 1) await take(slots, URL_B);
    expect(clock.slept).toEqual([1000]);
    for (let n = 0; n < 2; n += 1) await take(slots, 'https://b.example/part');
    expect(clock.slept).toEqual([1000, 100]);
  });

  it('is not used up by a part that was aborted while the workers were counted', async () => {
    const clock = fakeClock();
    const aborting = new AbortController();
    const workers = (): Promise<number> => {
      aborting.abort(new Error('enough'));
      return Promise.resolve(1);
    };
    const slots = createStorageSlots({ limits: { '*': 1 }, clock, workers });
    await expect(take(slots, URL_A, aborting.signal)).rejects.toThrow('enough');
    await take(slots, URL_A);
    expect(clock.slept).toEqual([]);
  });

  it('saves nothing up while nobody sends', async () => {
    const clock = fakeClock();
    const slots = slotsOf({ '*': 1 }, clock);
    await take(slots, URL_A);
    clock.advance(60_000);
    await take(slots, URL_A);
    await take(slots, URL_A);
    expect(clock.slept).toEqual([1000]);
  });

  it('of all workers together never exceeds the limit by more than one request each', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 500 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
        async (limit, parts) => {
          const begun: number[] = [];
          for (const count of parts) {
            const clock = fakeClock(0);
            const workers = (): Promise<number> => Promise.resolve(parts.length);
            const slots = createStorageSlots({ limits: { 'a.example': limit }, clock, workers });
            for (let n = 0; n < count; n += 1) {
              await take(slots, URL_A);
              begun.push(clock.now());
            }
          }
          begun.sort((one, other) => one - other);
          const tooEarly = begun.filter(
            (at, before) => before + 1 > parts.length + (limit * at) / 1000 + 1e-6,
          );
          expect(tooEarly).toEqual([]);
        },
      ),
    );
  });

  it('refuses requests at once that would wait for long, with the time to come back', async () => {
    const clock = { ...fakeClock(), sleep: () => Promise.resolve() };
    const slots = slotsOf({ '*': 1 }, clock);
    for (let n = 0; n <= 15; n += 1) await take(slots, URL_A);
    const refused = await take(slots, URL_A).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'WorkerBusy',
      message: 'part 7: not begun, because too many parts wait for a.example',
      facts: { outcome: 'unsent', retryAfterMs: 1_000 },
    });
  });

  it('makes requests wait until their signal aborts', async () => {
    const clock = fakeClock();
    const slots = slotsOf({ '*': 1 }, clock);
    await take(slots, URL_A);
    await expect(take(slots, URL_A, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
