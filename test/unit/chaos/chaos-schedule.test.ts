import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FAULTS as KNOWN } from '../../../simulator/faults/faults';
import { chaosSchedule, FAULTS } from '../../chaos/seeded/chaos-schedule';

const SIZE = { rows: 2_000, workerKills: 6, temporalKills: 2, s3Kills: 2, faults: 12 };
const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('a schedule of chaos', () => {
  it('is fixed by the seed: a seed of an earlier run means the same today', () => {
    const size = { rows: 100, workerKills: 2, temporalKills: 1, s3Kills: 1, faults: 3 };
    expect(chaosSchedule(7, size)).toEqual([
      { afterCompletes: 0, fault: 'start-503', times: 4 },
      { afterCompletes: 24, kill: 'worker' },
      { afterCompletes: 31, fault: 'session-lost', times: 3 },
      { afterCompletes: 45, kill: 'temporal' },
      { afterCompletes: 59, fault: 'put-reset', times: 2 },
      { afterCompletes: 68, kill: 'worker' },
      { afterCompletes: 85, kill: 's3' },
    ]);
  });

  it('has as many events of each kind as asked for, in their order, spread over the whole batch', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const events = chaosSchedule(seed, SIZE);
        const kills = events.flatMap((event) => ('kill' in event ? [event.kill] : []));
        expect(kills.filter((kill) => kill === 'worker')).toHaveLength(6);
        expect(kills.filter((kill) => kill === 'temporal')).toHaveLength(2);
        expect(kills.filter((kill) => kill === 's3')).toHaveLength(2);
        expect(events).toHaveLength(22);
        const share = SIZE.rows / 23;
        for (const [index, { afterCompletes }] of events.entries()) {
          expect(afterCompletes).toBeGreaterThanOrEqual(Math.floor(index * share));
          expect(afterCompletes).toBeLessThan((index + 1) * share);
        }
      }),
    );
  });

  it('sets no fault so often that it would end an upload that meets it each time', () => {
    const highest = { 'put-wrong-etag': 0, 'start-lost': 0, 'put-503': 0 };
    for (let seed = 0; seed < 500; seed += 1)
      for (const event of chaosSchedule(seed, SIZE))
        if ('fault' in event && event.fault in highest) {
          const fault = event.fault as keyof typeof highest;
          highest[fault] = Math.max(highest[fault], event.times);
        }
    expect(highest).toEqual({ 'put-wrong-etag': 1, 'start-lost': 2, 'put-503': 4 });
  });

  it('names faults that the simulator has', () => {
    expect(FAULTS.filter((fault) => !KNOWN.has(fault))).toEqual([]);
  });
});
