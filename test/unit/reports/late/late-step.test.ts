import { describe, expect, it } from '@jest/globals';
import { lateStep } from '../../../../reports/late/late-step';

const HOUR_MS = 3_600_000;
const DAY = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-03T00:00:00.000Z' };
const received = (complete: boolean): Parameters<typeof lateStep>[2] => ({
  since: '2026-11-01T00:00:00.000Z',
  seen: complete ? [] : [{ until: DAY.from, ids: null }],
});

describe('the step of a report', () => {
  it('keeps only the records that the next report may find again, or whose time is unknown', () => {
    const { keeps } = lateStep(DAY, HOUR_MS, undefined);
    const reach = Date.parse(DAY.to) - HOUR_MS;
    expect([reach - 1, reach, undefined].map(keeps)).toEqual([false, true, true]);
    expect(lateStep(DAY, 0, undefined).keeps(undefined)).toBe(false);
  });

  it('looks for late records in the overlap, except before the first report', () => {
    expect(lateStep(DAY, HOUR_MS, received(true)).range).toEqual({
      from: '2026-11-01T23:00:00.000Z',
      to: DAY.from,
    });
    expect(lateStep(DAY, HOUR_MS, undefined).range).toBeUndefined();
  });

  it("does not look for late records that it can't recognise", () => {
    expect(lateStep(DAY, HOUR_MS, received(false)).range).toBeNull();
  });
});
