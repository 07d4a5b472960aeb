import { Slots } from '../../../api/slots';

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Asks for slots, and notes who has some. */
function asking(max: number): {
  readonly having: string[];
  ask(name: string, count?: number, signal?: AbortSignal): Promise<() => void>;
} {
  const slots = new Slots(() => max);
  const having: string[] = [];
  return {
    having,
    async ask(name, count, signal) {
      const leave = await slots.enter(signal, count);
      having.push(name);
      return () => {
        if (having.includes(name)) having.splice(having.indexOf(name), 1);
        leave();
      };
    },
  };
}

describe('slots', () => {
  it('are given in the order of the calls, never more than there are, and returned once', async () => {
    const { having, ask } = asking(10);
    const first = await ask('first', 6);
    const second = ask('second', 5);
    void ask('third', 5);
    void ask('fourth');
    await settle();
    expect(having).toEqual(['first']);
    first();
    first();
    await settle();
    expect(having).toEqual(['second', 'third']);
    (await second)();
    await settle();
    expect(having).toEqual(['third', 'fourth']);
  });

  it('are given to a caller that needs more than all when nobody else has any', async () => {
    const { having, ask } = asking(10);
    const small = await ask('small');
    const large = ask('large', 25);
    void ask('next');
    await settle();
    expect(having).toEqual(['small']);
    small();
    (await large)();
    await settle();
    expect(having).toEqual(['next']);
  });

  it('who gives up leaves no gap for those behind', async () => {
    const { having, ask } = asking(10);
    await ask('first', 6);
    const stop = new AbortController();
    const second = ask('second', 9, stop.signal);
    void ask('third', 4);
    stop.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    await settle();
    expect(having).toEqual(['first', 'third']);
    await expect(ask('late', 1, stop.signal)).rejects.toThrow('cancelled');
  });
});
