import fc from 'fast-check';
import { deliveryName } from '../../../../../temporal/reports/activities/deliver-report';

const ONE = {
  accountId: 'acme-1a2b3c4d',
  schedule: 'morning',
  target: 'mail:ops@example.org',
  period: { from: '2026-11-19T23:00:00.000Z', to: '2026-11-20T23:00:00.000Z' },
};

describe('the name of a message', () => {
  it('is the same for every sender and every repetition', () => {
    expect(deliveryName(ONE)).toBe(deliveryName({ ...ONE, period: { ...ONE.period } }));
    expect(deliveryName(ONE)).toMatch(/^[0-9a-f]{32}$/);
  });

  it('differs with any of its fields, even if two texts are split differently', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', ','), maxLength: 3 });
    const period = fc.constant(ONE.period);
    const identity = fc.record({ accountId: text, schedule: text, target: text, period });
    fc.assert(
      fc.property(identity, identity, (one, other) => {
        const same = Object.keys(one).every((key) => Reflect.get(one, key) === Reflect.get(other, key));
        expect(deliveryName(one) === deliveryName(other)).toBe(same);
      }),
    );
    expect(deliveryName({ ...ONE, schedule: 'a', target: 'bc' })).not.toBe(
      deliveryName({ ...ONE, schedule: 'ab', target: 'c' }),
    );
  });

  it('differs with the period', () => {
    const period = { ...ONE.period, to: '2026-11-21T23:00:00.000Z' };
    expect(deliveryName({ ...ONE, period })).not.toBe(deliveryName(ONE));
  });
});
