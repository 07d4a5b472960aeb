import { createAimdLimiter, createAimdLimiters } from '../../../../../api/upload/part/admission';
import type { AimdLimiter, PermitOutcome } from '../../../../../api/upload/part/admission';

/** Works one after another. */
async function oneByOne(limiter: AimdLimiter, times: number, outcome: PermitOutcome): Promise<void> {
  for (let done = 0; done < times; done += 1) (await limiter.acquire())(outcome);
}

/** Works all at once. */
async function together(limiter: AimdLimiter, count: number, outcome: PermitOutcome): Promise<void> {
  const permits = await Promise.all(Array.from({ length: count }, () => limiter.acquire()));
  permits.forEach((permit) => permit(outcome));
}

describe('the AIMD limiter', () => {
  it('halves once for a burst of busy answers, and grows by one for a round of successes', async () => {
    const limiter = createAimdLimiter(() => 8);
    await together(limiter, 8, 'busy');
    expect(limiter.limit()).toBe(4);
    await oneByOne(limiter, 5, 'ok');
    expect(limiter.limit()).toBe(5);
    await oneByOne(limiter, 1, 'failed');
    expect(limiter.limit()).toBe(5);
  });

  it('goes down to one for a slow line, and tries two again only after a dozen successes', async () => {
    const limiter = createAimdLimiter();
    await together(limiter, 4, 'slow');
    await together(limiter, 2, 'slow');
    await together(limiter, 1, 'slow');
    const limits: number[] = [];
    for (let done = 0; done < 12; done += 1) {
      limits.push(limiter.limit());
      await oneByOne(limiter, 1, 'ok');
    }
    expect([limits, limiter.limit()]).toEqual([Array.from({ length: 12 }, () => 1), 2]);
    await oneByOne(limiter, 1, 'busy');
    await oneByOne(limiter, 1, 'ok');
    expect(limiter.limit()).toBe(2);
  });

  it.each([
    ['busy', 384],
    ['slow', 571],
  ] as const)('that was %s with 32 at once is back after %i successes', async (outcome, successes) => {
    const limiter = createAimdLimiter(() => 32);
    await together(limiter, 32, outcome);
    await oneByOne(limiter, successes - 1, 'ok');
    expect(limiter.limit()).toBeLessThan(32);
    await oneByOne(limiter, 1, 'ok');
    expect(limiter.limit()).toBe(32);
  });

  it('sets no limit until the other side is busy, and then half of what was running', async () => {
    const limiter = createAimdLimiter();
    await together(limiter, 40, 'ok');
    expect(limiter.limit()).toBe(Infinity);
    await together(limiter, 40, 'busy');
    expect(limiter.limit()).toBe(20);
  });

  it('follows its maximum at once if nothing was busy, or was and it came back, and is never below one', async () => {
    let slots = 2;
    const limiter = createAimdLimiter(() => slots);
    await oneByOne(limiter, 1, 'busy');
    await oneByOne(limiter, 5, 'ok');
    slots = 200;
    expect(limiter.limit()).toBe(200);
    await together(limiter, 200, 'ok');
    expect(limiter.limit()).toBe(200);
    slots = 0;
    expect(limiter.limit()).toBe(1);
  });

  it('exists once per storage origin', async () => {
    const limiters = createAimdLimiters();
    const { signal } = new AbortController();
    for (const url of ['https://a.example.com/1?x', 'https://a.example.com/2', 'https://b.example.com/1']) {
      const permit = await limiters.enter({ partNumber: 1, bytes: 1, url }, signal);
      permit.leave('busy');
    }
    expect([...limiters.limits()]).toEqual([
      ['https://a.example.com', 1],
      ['https://b.example.com', 1],
    ]);
  });
});
