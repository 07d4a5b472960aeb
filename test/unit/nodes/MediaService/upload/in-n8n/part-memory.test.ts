import { describe, expect, test } from '@jest/globals';
import { PartMemory } from '../../../../../../nodes/MediaService/upload/in-n8n/part-memory';

const SIGNAL = new AbortController().signal;

/** Asks for memory, and notes who has some. */
function asking(memory: PartMemory): {
  readonly having: string[];
  ask(name: string, bytes: number, signal?: AbortSignal): Promise<() => void>;
} {
  const having: string[] = [];
  return {
    having,
    async ask(name, bytes, signal = SIGNAL) {
      const { release } = await memory.take(bytes, signal);
      having.push(name);
      return () => {
        having.splice(having.indexOf(name), 1);
        release();
      };
    },
  };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the memory for parts', () => {
  test('is given in the order of the calls, and never more than there is', async () => {
    const { having, ask } = asking(new PartMemory(10));
    const first = await ask('first', 6);
    void ask('second', 5);
    void ask('third', 4);
    await settle();
    expect(having).toEqual(['first']);
    first();
    await settle();
    expect(having).toEqual(['second', 'third']);
  });

  test('is given to a part that is larger than all of it when nobody else has any', async () => {
    const { having, ask } = asking(new PartMemory(10));
    const small = await ask('small', 1);
    const large = ask('large', 25);
    void ask('next', 1);
    await settle();
    expect(having).toEqual(['small']);
    small();
    const release = await large;
    expect(having).toEqual(['large']);
    release();
    await settle();
    expect(having).toEqual(['next']);
  });

  test('who gives up leaves no gap for those behind', async () => {
    const { having, ask } = asking(new PartMemory(10));
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

  test('is used again as long as somebody has some, if it is large enough', async () => {
    const memory = new PartMemory(30);
    const other = await memory.take(1, SIGNAL);
    const bufferOf = async (bytes: number): Promise<Buffer> => {
      const { buffer, release } = await memory.take(bytes, SIGNAL);
      const got = buffer();
      expect([got.byteLength, buffer().buffer]).toEqual([bytes, got.buffer]);
      release();
      return got;
    };
    const first = await bufferOf(20);
    expect((await bufferOf(12)).buffer).toBe(first.buffer);
    const larger = await bufferOf(25);
    expect(larger.buffer).not.toBe(first.buffer);
    other.release();
    expect((await bufferOf(25)).buffer).not.toBe(larger.buffer);
  });
});
