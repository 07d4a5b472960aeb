import { describe, expect, it } from '@jest/globals';
import { createAimdLimiter, createAimdLimiters } from '../../../../../api/upload/part/admission';

describe('the AIMD limiter', () => {
  it('halves once for a burst of busy answers, and grows by one for a round of successes', async () => {
    const limiter = createAimdLimiter({ max: () => 8 });
    const burst = await Promise.all(Array.from({ length: 8 }, () => limiter.acquire()));
    burst.forEach((permit) => permit('busy'));
    expect(limiter.limit()).toBe(4);
    for (let done = 0; done < 5; done += 1) (await limiter.acquire())('ok');
    expect(limiter.limit()).toBe(5);
    (await limiter.acquire())('failed');
    expect(limiter.limit()).toBe(5);
  });

  it('never falls below one and never rises above its maximum', async () => {
    const limiter = createAimdLimiter({ max: () => 2 });
    for (let done = 0; done < 5; done += 1) (await limiter.acquire())('busy');
    expect(limiter.limit()).toBe(1);
    for (let done = 0; done < 50; done += 1) (await limiter.acquire())('ok');
    expect(limiter.limit()).toBe(2);
  });

  it('goes down to one for a slow line, and tries two again only after a dozen successes', async () => {
    const limiter = createAimdLimiter();
    for (let round = 0; round < 2; round += 1) {
      const permits = await Promise.all(Array.from({ length: 4 >> round }, () => limiter.acquire()));
      permits.forEach((permit) => permit('slow'));
    }
    const limits: number[] = [];
    for (let done = 0; done < 12; done += 1) {
      limits.push(limiter.limit());
      (await limiter.acquire())('ok');
    }
    expect([limits, limiter.limit()]).toEqual([Array.from({ length: 12 }, () => 1), 2]);
    (await limiter.acquire())('busy');
    (await limiter.acquire())('ok');
    expect(limiter.limit()).toBe(2);
  });

  it('is back after a slow line with half as many parts more as after a busy storage', async () => {
    const goodParts = async (outcome: 'slow' | 'busy'): Promise<number> => {
      const limiter = createAimdLimiter({ max: () => 32 });
      const permits = await Promise.all(Array.from({ length: 32 }, () => limiter.acquire()));
      permits.forEach((permit) => permit(outcome));
      let done = 0;
      for (; limiter.limit() < 32; done += 1) (await limiter.acquire())('ok');
      return done;
    };
    expect([await goodParts('busy'), await goodParts('slow')]).toEqual([384, 571]);
  });

  it('sets no limit until the other side is busy, and then half of what was running', async () => {
    const limiter = createAimdLimiter();
    const permits = await Promise.all(Array.from({ length: 40 }, () => limiter.acquire()));
    expect(limiter.limit()).toBe(Infinity);
    permits.forEach((permit) => permit('busy'));
    expect(limiter.limit()).toBe(20);
  });

  it('follows its maximum, at once if nothing was busy, and never goes below one', async () => {
    let slots = 16;
    const limiter = createAimdLimiter({ max: () => slots });
    expect(limiter.limit()).toBe(16);
    slots = 200;
    const permits = await Promise.all(Array.from({ length: 200 }, () => limiter.acquire()));
    const waiting = limiter.acquire();
    permits[0]?.('ok');
    (await waiting)('ok');
    expect(limiter.limit()).toBe(200);
    slots = 0;
    expect(limiter.limit()).toBe(1);
  });

  it('forgets past busy answers once it reached its maximum again', async () => {
    let slots = 2;
    const limiter = createAimdLimiter({ max: () => slots });
    (await limiter.acquire())('busy');
    for (let done = 0; done < 5; done += 1) (await limiter.acquire())('ok');
    slots = 50;
    expect(limiter.limit()).toBe(50);
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
