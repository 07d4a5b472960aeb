import { ApplicationFailure } from '@temporalio/client';
import { deliveredOf, handedOn } from '../../../../temporal/reports/types';

const DELIVERED = new Map([
  ['a', '2026-11-02T00:00:00.000Z'],
  ['b', '2026-11-03T00:00:00.000Z'],
]);

describe('what a run hands on to the next one', () => {
  it('leaves out targets that the schedule no longer has', () => {
    expect(handedOn(['a', 'new'], DELIVERED)).toEqual({ delivered: { a: DELIVERED.get('a') } });
  });

  it('is read from a result, from the details of a failure, and from a failure in another one', () => {
    const next = handedOn(['a', 'b'], DELIVERED);
    const failure = ApplicationFailure.create({ message: 'failed', details: [{ hint: 'x' }, next] });
    const wrapped = Object.assign(new Error('wrapped'), { cause: failure });
    for (const end of [{ schedule: 'morning', ...next }, failure, wrapped])
      expect(deliveredOf([undefined, end, handedOn(['a'], new Map())])).toEqual(DELIVERED);
    expect(deliveredOf([undefined, null, {}, new Error('terminated')])).toEqual(new Map());
  });
});
