import { describe, expect, it } from '@jest/globals';
import { createDrain } from '../../../../../temporal/activities/context/drain';
import { fakeClock } from '../../../api/fake-clock';

const MB = 1_000_000;

describe('a drain', () => {
  it.each<[string, { bytes: number; sent: number; seconds: number; known?: number }, boolean]>([
    ['a part that is nearly done', { bytes: 100 * MB, sent: 90 * MB, seconds: 9 }, false],
    ['a part that needs longer than the grace', { bytes: 600 * MB, sent: 10 * MB, seconds: 1 }, true],
    ['a part that has sent nothing on a slow line', { bytes: 60 * MB, sent: 0, seconds: 0, known: MB }, true],
    ['a part that has sent nothing on a fast line', { bytes: 5 * MB, sent: 0, seconds: 0, known: MB }, false],
    ['a part that has sent nothing, and no rate is known', { bytes: 5 * MB, sent: 0, seconds: 0 }, true],
  ])('decides about %s by its rate', (_what, { bytes, sent, seconds, known }, givenBack) => {
    const clock = fakeClock();
    const drain = createDrain({ clock, graceMs: 30_000, bytesPerSecond: () => known });
    const place = drain.enter({ partNumber: 7, bytes });
    if (sent > 0) {
      place.onBytes(1);
      clock.advance(seconds * 1000);
      place.onBytes(sent);
    }
    drain.begin();
    expect(place.signal.aborted).toBe(givenBack);
    if (givenBack) {
      expect(place.signal.reason).toMatchObject({ code: 'WorkerBusy', facts: { retryAfterMs: 100 } });
    }
  });

  it('leaves alone what has ended, and gives back at once what comes late and cannot end', () => {
    const drain = createDrain({ clock: fakeClock(), graceMs: 1_000, bytesPerSecond: () => MB });
    const ended = drain.enter({ partNumber: 1, bytes: 100 * MB });
    ended.leave();
    drain.begin();
    expect(ended.signal.aborted).toBe(false);
    expect(drain.enter({ partNumber: 2, bytes: 100 * MB }).signal.aborted).toBe(true);
    expect(drain.enter({ partNumber: 3, bytes: MB / 2 }).signal.aborted).toBe(false);
  });
});
