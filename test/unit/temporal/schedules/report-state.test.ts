import { describe, expect, it } from '@jest/globals';
import { begunState, planPeriods } from '../../../../temporal/schedules/plan-periods';
import { cursorOf, parseState, withDelivery } from '../../../../temporal/schedules/report-state';
import type { ReportState } from '../../../../temporal/schedules/report-state';
import type { ReportSchedule } from '../../../../temporal/contract/failure-report';
import { MORNING } from '../morning-schedule';

const EMPTY: ReportState = { schema: 1, schedule: 'morning', accountId: 'acme-1a2b3c4d', cursors: [] };
const NONE = { groups: [], complete: true };
const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`;
const arrived = (state: ReportState, target: string, from: number, to: number): ReportState => {
  const deliveredTo = cursorOf(state, target)?.deliveredTo;
  const period = { from: day(from), to: day(to) };
  return withDelivery(state, {
    target,
    period,
    seen: NONE,
    ...(deliveredTo === undefined ? {} : { deliveredTo }),
  });
};
const SCHEDULE: ReportSchedule = {
  ...MORNING,
  targets: ['a', 'b'].map((key) => ({ kind: 'mail', key, address: `${key}@example.org` })),
};
const AT = { schedule: 'morning', accountId: EMPTY.accountId, location: '/srv/state.json' };
const planAt = (state: ReportState, number: number): ReturnType<typeof planPeriods> =>
  planPeriods(SCHEDULE, { kind: 'next' }, { state, now: Date.parse(day(number)) + 3_600_000 });

describe('the state of a schedule', () => {
  it('lets targets with the same reported records share a cursor and a report', () => {
    const state = arrived(arrived(EMPTY, 'a', 1, 2), 'b', 1, 2);
    expect(state.cursors).toEqual([{ since: day(1), deliveredTo: day(2), seen: NONE, targets: ['a', 'b'] }]);
    expect(planAt(state, 3)).toEqual({
      groups: [{ period: { from: day(2), to: day(3) }, targets: ['a', 'b'], deliveredTo: day(2) }],
      nothingDue: [],
    });
  });

  it('gives a target that was unreachable its whole period later, and the others nothing twice', () => {
    const state = arrived(arrived(arrived(EMPTY, 'a', 1, 2), 'b', 1, 2), 'a', 2, 3);
    expect(planAt(state, 3)).toEqual({
      groups: [{ period: { from: day(2), to: day(3) }, targets: ['b'], deliveredTo: day(2) }],
      nothingDue: ['a'],
    });
    expect(planAt(state, 4).groups.map(({ period, targets }) => [period.from, targets])).toEqual([
      [day(3), ['a']],
      [day(2), ['b']],
    ]);
  });

  it('gives a target whose first report failed the whole period later', () => {
    const begun = begunState(EMPTY, SCHEDULE, Date.parse(day(2)) + 3_600_000);
    const state = arrived(begun, 'a', 1, 2);
    expect(planAt(state, 4).groups.map(({ period, targets }) => [period.from, targets])).toEqual([
      [day(2), ['a']],
      [day(1), ['b']],
    ]);
    expect(begunState(state, SCHEDULE, Date.parse(day(9)))).toBe(state);
  });

  it('separates targets with different reported records, and remembers where each began', () => {
    const period = { from: day(1), to: day(2) };
    const seen = { groups: [{ until: day(2), ids: ['late'] }], complete: true };
    const shown = withDelivery(arrived(EMPTY, 'a', 1, 2), { target: 'b', period, seen });
    expect(shown.cursors.map(({ targets, ...cursor }) => [targets, cursor])).toEqual([
      [['a'], { since: day(1), deliveredTo: day(2), seen: NONE }],
      [['b'], { since: day(1), deliveredTo: day(2), seen }],
    ]);
    const later = arrived(arrived(shown, 'a', 2, 3), 'b', 2, 3);
    expect(later.cursors).toEqual([{ since: day(1), deliveredTo: day(3), seen: NONE, targets: ['a', 'b'] }]);
  });

  it('does not change when a delivery is recorded again', () => {
    const state = arrived(EMPTY, 'a', 1, 2);
    const period = { from: day(1), to: day(2) };
    expect(withDelivery(state, { target: 'a', period, seen: NONE })).toBe(state);
  });

  it('refuses a delivery for a target that another run has moved meanwhile', () => {
    const state = arrived(arrived(EMPTY, 'a', 1, 2), 'a', 2, 4);
    const delivery = { target: 'a', period: { from: day(2), to: day(3) }, deliveredTo: day(2), seen: NONE };
    expect(() => withDelivery(state, delivery)).toThrow(expect.objectContaining({ code: 'InputDiffers' }));
  });

  it('is not used by backfills and tests', () => {
    const state = arrived(EMPTY, 'a', 1, 20);
    const period = { from: day(3), to: day(4) };
    expect(planPeriods(SCHEDULE, { kind: 'backfill', period }, { state, now: 0 })).toEqual({
      groups: [{ period, targets: ['a', 'b'] }],
      nothingDue: [],
    });
    expect(planPeriods(SCHEDULE, { kind: 'test' }, { state, now: Date.parse(day(20)) }).groups).toEqual([
      { period: { from: day(19), to: day(20) }, targets: ['a', 'b'] },
    ]);
  });

  it('is read back as it was written', () => {
    const state = arrived(EMPTY, 'a', 1, 2);
    expect(parseState(JSON.stringify(state), AT)).toEqual(state);
  });

  it.each([
    [
      "another schedule's",
      JSON.stringify({ ...EMPTY, schedule: 'evening' }),
      'is the state of the schedule "evening"',
    ],
    ["another account's", JSON.stringify({ ...EMPTY, accountId: 'other' }), 'of other'],
    ['cut short', '{"schema":1,"sched', 'has no state'],
    ['some other JSON', '{"schema":1,"rows":[]}', 'has no state'],
    ['with a malformed cursor', JSON.stringify({ ...EMPTY, cursors: [{ targets: ['a'] }] }), 'has no state'],
  ])('is refused if it is %s', (_name, text, message) => {
    expect(() => parseState(text, AT)).toThrow(
      expect.objectContaining({ code: 'Configuration', message: expect.stringContaining(message) }),
    );
  });
});
