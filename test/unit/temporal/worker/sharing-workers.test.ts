import { describe, expect, it } from '@jest/globals';
import { createSharingWorkers } from '../../../../temporal/worker/sharing-workers';
import { fakeClock } from '../../api/fake-clock';

function fleet(queues: Record<string, readonly string[] | Error>): {
  readonly workersOf: (...queues: readonly string[]) => Promise<number>;
  readonly clock: ReturnType<typeof fakeClock>;
  readonly asked: string[];
} {
  const clock = fakeClock();
  const asked: string[] = [];
  const workersOf = createSharingWorkers({
    clock,
    workersOf: ({ queue }) => {
      asked.push(queue);
      const found = queues[queue] ?? [];
      if (found instanceof Error) return Promise.reject(found);
      return Promise.resolve(found.map((identity) => ({ identity })));
    },
  });
  return {
    workersOf: (...names) => workersOf(names.map((queue) => ({ control: 'c', queue }))),
    clock,
    asked,
  };
}

describe('workers that share limits', () => {
  it('are counted once, however many of the queues they serve and however often', async () => {
    const { workersOf } = fleet({ a: ['1@here', '2@here', '1@here'], b: ['2@here', '3@there'] });
    expect(await workersOf('a')).toBe(2);
    expect(await workersOf('a', 'b')).toBe(3);
  });

  it('are queried once in 30 s', async () => {
    const queues: Record<string, readonly string[]> = { a: ['1@here'] };
    const { workersOf, clock, asked } = fleet(queues);
    await workersOf('a');
    queues['a'] = ['1@here', '2@here'];
    clock.advance(29_999);
    expect(await workersOf('a')).toBe(1);
    clock.advance(1);
    expect(await workersOf('a')).toBe(2);
    expect(asked).toEqual(['a', 'a']);
  });

  it('are the last known ones if the server does not answer, or only this worker at first', async () => {
    const queues: Record<string, readonly string[] | Error> = { a: new Error('away') };
    const { workersOf, clock } = fleet(queues);
    expect(await workersOf('a')).toBe(1);
    queues['a'] = ['1@here', '2@here'];
    clock.advance(30_000);
    expect(await workersOf('a')).toBe(2);
    queues['a'] = new Error('away again');
    clock.advance(30_000);
    expect(await workersOf('a')).toBe(2);
  });
});
