import { PartMemory } from '../../../../../../nodes/MediaService/upload/in-n8n/part-memory';

const SIGNAL = new AbortController().signal;

describe('the memory for parts', () => {
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
