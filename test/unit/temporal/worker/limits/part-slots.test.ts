import { describe, expect, it } from '@jest/globals';
import { createPartSlots } from '../../../../../temporal/worker/limits/row-slots';

const never = new AbortController().signal;

describe('slots for parts', () => {
  it('are given in order of arrival, for each queue', async () => {
    const slots = createPartSlots((queue) => (queue === 'large' ? 2 : 1));
    const order: string[] = [];
    const leave = await slots.enter('small', never);
    const second = slots.enter('small', never).then((out) => {
      order.push('second');
      return out;
    });
    const third = slots.enter('small', never).then(() => order.push('third'));
    await Promise.all([slots.enter('large', never), slots.enter('large', never)]);
    expect(order).toEqual([]);
    leave();
    leave();
    const leaveSecond = await second;
    expect(order).toEqual(['second']);
    leaveSecond();
    await third;
    expect(order).toEqual(['second', 'third']);
  });

  it('are not given to callers that no longer wait', async () => {
    const slots = createPartSlots(() => 1);
    const leave = await slots.enter('q', never);
    const giveUp = new AbortController();
    const first = slots.enter('q', giveUp.signal);
    const second = slots.enter('q', never);
    giveUp.abort(new Error('cancelled'));
    await expect(first).rejects.toThrow('cancelled');
    leave();
    await second;
    await expect(slots.enter('q', giveUp.signal)).rejects.toThrow('cancelled');
  });
});
