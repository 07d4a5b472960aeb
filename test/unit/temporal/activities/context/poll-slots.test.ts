import fc from 'fast-check';
import { describe, expect, it } from '@jest/globals';
import { createPollSlots, type PollSlot } from '../../../../../temporal/activities/context/poll-slots';

const mays = (slots: readonly PollSlot[]): string[] => slots.map(({ may }) => may);
const enterMany = (slots: number, polls: number): PollSlot[] => {
  const pollSlots = createPollSlots(slots);
  return Array.from({ length: polls }, () => pollSlots.enter('acme'));
};

describe('polls in control slots', () => {
  it.each([
    [1, ['read', 'leave', 'leave']],
    [3, ['read', 'leave', 'leave']],
    [4, ['stay', 'read', 'leave']],
    [8, ['stay', 'stay', 'read', 'read', 'leave']],
  ])('with %i slots keep a quarter and take half at most, and one can always read', (slots, expected) => {
    expect(mays(enterMany(slots, expected.length))).toEqual(expected);
  });

  it('of one account do not take the slots of another', () => {
    const slots = createPollSlots(4);
    expect(mays(['a', 'a', 'a', 'b'].map((id) => slots.enter(id)))).toEqual([
      'stay',
      'read',
      'leave',
      'stay',
    ]);
  });

  it('release their slot when they end, once each', () => {
    const slots = createPollSlots(4);
    const [staying, reading] = [slots.enter('a'), slots.enter('a')];
    staying.leave();
    staying.leave();
    expect(mays([slots.enter('a'), slots.enter('a')])).toEqual(['stay', 'leave']);
    reading.leave();
    expect(slots.enter('a').may).toBe('read');
  });

  it('never take more than half of the slots, nor keep more than a quarter, in any order of arrival', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.array(fc.nat(20)), (slots, steps) => {
        const pollSlots = createPollSlots(slots);
        const inside: PollSlot[] = [];
        for (const step of steps) {
          // An even step enters; an odd one lets one of those inside leave.
          if (step % 2 === 0) inside.push(pollSlots.enter('acme'));
          else inside.splice(step % Math.max(1, inside.length), 1)[0]?.leave();
          const reading = inside.filter(({ may }) => may !== 'leave').length;
          expect(reading).toBeLessThanOrEqual(Math.max(1, Math.floor(slots / 2)));
          expect(inside.filter(({ may }) => may === 'stay').length).toBeLessThanOrEqual(
            Math.floor(slots / 4),
          );
        }
      }),
    );
  });
});
