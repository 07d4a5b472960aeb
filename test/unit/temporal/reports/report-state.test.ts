import { ApplicationFailure } from '@temporalio/client';
import { describe, expect, it } from '@jest/globals';
import { cursorsOf, groupTargets, handedOn, MAX_SEEN } from '../../../../temporal/reports/types';
import type { ReportCursor } from '../../../../temporal/reports/types';

const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`;
const upTo = (number: number, ids: readonly string[] = ['x']): ReportCursor => ({
  ...{ since: day(1), deliveredTo: day(number), seen: [{ until: day(number), ids }] },
});
const KEYS = ['a', 'b', 'c', 'd'];

describe('what a run hands on to the next one', () => {
  it('groups targets at the same point, and leaves out those that the schedule no longer has', () => {
    const shared = upTo(2);
    const cursors = new Map([
      ['a', shared],
      ['b', upTo(3)],
      ['c', upTo(2)],
      ['gone', shared],
    ]);
    expect(groupTargets(KEYS, cursors)).toEqual([
      { targets: ['a', 'c'], cursor: shared },
      { targets: ['b'], cursor: upTo(3) },
      { targets: ['d'] },
    ]);
  });

  it.each([
    ['another start', { ...upTo(2), since: day(0) }],
    ['other seen records', upTo(2, ['y'])],
  ])('separates targets with %s', (_what, other) => {
    const cursors = new Map([
      ['a', upTo(2)],
      ['b', other],
    ]);
    expect(groupTargets(['a', 'b'], cursors).map(({ targets }) => targets)).toEqual([['a'], ['b']]);
  });

  it('is read from a result, from the details of a failure, and from a failure in another one', () => {
    const cursors = new Map([
      ['a', upTo(2)],
      ['b', upTo(2)],
    ]);
    const next = handedOn(['a', 'b', 'new'], cursors);
    const failure = ApplicationFailure.create({ message: 'failed', details: [{ hint: 'x' }, next] });
    const wrapped = Object.assign(new Error('wrapped'), { cause: failure });
    for (const end of [{ schedule: 'morning', ...next }, failure, wrapped])
      expect(cursorsOf([undefined, end, handedOn(['a'], new Map())])).toEqual(cursors);
    expect(cursorsOf([undefined, null, {}, new Error('terminated')])).toEqual(new Map());
  });

  it('forgets the seen records of all targets if together they are too many', () => {
    const ids = Array.from({ length: MAX_SEEN / 2 }, (_, index) => String(index));
    const cursors = new Map([
      ['a', upTo(2, ids)],
      ['b', upTo(3, ids)],
    ]);
    expect(handedOn(['a', 'b'], cursors).served).toMatchObject([{ cursor: upTo(2, ids) }, {}]);
    expect(handedOn(['a', 'b', 'c'], cursors.set('c', upTo(3))).served).toEqual([
      { targets: ['a'], cursor: { ...upTo(2), seen: [{ until: day(2), ids: null }] } },
      { targets: ['b'], cursor: { ...upTo(3), seen: [{ until: day(3), ids: null }] } },
      { targets: ['c'], cursor: { ...upTo(3), seen: [{ until: day(3), ids: null }] } },
    ]);
  });
});
