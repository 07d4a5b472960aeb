import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RangedBlob, type ByteRange } from '../../../../manifest/plan/ranged-blob';

const BYTES = Uint8Array.from({ length: 600_000 }, (_, index) => (index * 7) % 251);

test('a slice has the bytes of its range, and neighbouring slices need one request', async () => {
  const asked: ByteRange[] = [];
  const blob = new RangedBlob(BYTES.length, async function* (range) {
    asked.push(range);
    yield BYTES.subarray(range.offset, range.offset + range.length);
  });
  expect(blob.size).toBe(BYTES.length);
  await fc.assert(
    fc.asyncProperty(fc.nat(BYTES.length), fc.nat(1000), async (start, length) => {
      const slice = await blob.slice(start, start + length).arrayBuffer();
      expect(Buffer.from(slice).equals(BYTES.subarray(start, start + length))).toBe(true);
    }),
  );
  asked.length = 0;
  await blob.slice(0, 8).arrayBuffer();
  await blob.slice(8, 4000).arrayBuffer();
  expect(asked.length).toBeLessThanOrEqual(1);
});
