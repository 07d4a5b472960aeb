import { BUFFER_BYTES, ReadBuffers } from '../../../../files/sources/path-source';

describe('the buffers that files are read into', () => {
  it('are used again once they are released', () => {
    const buffers = new ReadBuffers();
    const [one, other] = [buffers.take(BUFFER_BYTES), buffers.take(5 * BUFFER_BYTES)];
    expect([one.byteLength, other.byteLength]).toEqual([BUFFER_BYTES, BUFFER_BYTES]);
    buffers.release([one, other]);
    expect(new Set([buffers.take(BUFFER_BYTES), buffers.take(BUFFER_BYTES)])).toEqual(new Set([one, other]));
    expect([one, other]).not.toContain(buffers.take(BUFFER_BYTES));
  });

  it('do not begin at the start of their allocation, which is 16 bytes after a page', () => {
    for (const bytes of [1, 200_000, BUFFER_BYTES]) {
      const { byteOffset, byteLength } = new ReadBuffers().take(bytes);
      expect([byteOffset, byteLength]).toEqual([48, bytes]);
    }
  });

  it('are not kept if they are small, and at most eight are kept', () => {
    const buffers = new ReadBuffers();
    const small = buffers.take(100);
    expect(small.byteLength).toBe(100);
    buffers.release([small]);
    expect(buffers.take(100)).not.toBe(small);
    const many = Array.from({ length: 10 }, () => buffers.take(BUFFER_BYTES));
    buffers.release(many);
    const next = many.map(() => buffers.take(BUFFER_BYTES));
    expect(next.filter((buffer) => many.includes(buffer))).toHaveLength(8);
  });
});
