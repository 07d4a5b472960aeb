import { describe, expect, it } from '@jest/globals';
import { chaosSchedule } from '../../chaos/seeded/chaos-schedule';

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
});
