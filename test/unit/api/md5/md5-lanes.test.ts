import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LANE_BYTES, LaneMemory } from '../../../../api/md5/lane-memory';
import type { Lane } from '../../../../api/md5/lane-memory';
import { Md5Lanes } from '../../../../api/md5/md5-lanes';
import type { PartHash } from '../../../../api/md5/part-hash';
import { md5Of, sample } from './sample';

/** Records which lanes were hashed side by side, and how many are in use. */
class WatchedMemory extends LaneMemory {
  readonly widths: number[] = [];
  taken = 0;

  override take(): Lane {
    this.taken += 1;
    return super.take();
  }

  override release(lane: Lane): void {
    this.taken -= 1;
    super.release(lane);
  }

  override hash(lanes: readonly Lane[], blocks: number): void {
    this.widths.push(lanes.length);
    super.hash(lanes, blocks);
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Sent {
  readonly bytes: number;
  readonly chunk: number;
  /** Turns of the event loop before each chunk. */
  readonly slow: number;
  /** Closed after this number of bytes, without a digest. */
  readonly closedAt: number | undefined;
}

async function send(
  hash: PartHash,
  { bytes, chunk, slow, closedAt }: Sent,
  content: Buffer,
): Promise<string> {
  try {
    for (let at = 0; at < bytes; at += chunk) {
      for (let pause = 0; pause < slow; pause += 1) await turn();
      if (closedAt !== undefined && at >= closedAt) return 'closed';
      // A reader reuses its buffer as soon as `update` is done.
      const buffer = Buffer.from(content.subarray(at, Math.min(bytes, at + chunk)));
      await hash.update(buffer);
      buffer.fill(0);
    }
    return await hash.digest();
  } finally {
    hash.close();
  }
}

const bytes = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 200_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 2 * LANE_BYTES + 100 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(64, 8_192, LANE_BYTES - 1, LANE_BYTES, LANE_BYTES + 1, 2 * LANE_BYTES),
  },
);
const sent = fc.record({
  bytes,
  chunk: fc.oneof(fc.integer({ min: 1_000, max: 70_000 }), fc.constant(LANE_BYTES)),
  slow: fc.constantFrom(0, 0, 1, 3),
  closedAt: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bytes }),
});

describe('streams hashed in lanes', () => {
  it('have the MD5 of node:crypto, in any number, order and interleaving', async () => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    let digests = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 24 }), async (all) => {
        const contents = all.map((one, index) => sample(one.bytes, index + digests));
        const results = await Promise.all(
          all.map((one, index) => send(lanes.open(), one, contents[index] ?? Buffer.of())),
        );
        results.forEach((result, index) => {
          if (result !== 'closed') expect(result).toBe(md5Of(contents[index] ?? Buffer.of()));
        });
        digests += results.length;
        expect(memory.taken).toBe(0);
      }),
      { numRuns: 2_000 },
    );
    expect(digests).toBeGreaterThan(10_000);
    expect([1, 2, 3, 4, 5].filter((width) => !memory.widths.includes(width))).toEqual([]);
  }, 120_000);

  it.each([2, 3, 4, 5, 8])('are hashed side by side once all %i have arrived', async (count) => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    const content = sample(3 * LANE_BYTES, 1);
    const all = Array.from({ length: count }, () => lanes.open());
    const one = { bytes: content.byteLength, chunk: LANE_BYTES, slow: 1, closedAt: undefined };
    const digests = await Promise.all(all.map((hash) => send(hash, one, content)));
    expect(new Set(digests)).toEqual(new Set([md5Of(content)]));
    expect(memory.widths.filter((width) => width === count).length).toBeGreaterThanOrEqual(3);
  });

  it('do not wait for a stream that stalls', async () => {
    const lanes = new Md5Lanes(new LaneMemory());
    const stalled = lanes.open();
    await stalled.update(sample(100, 1));
    const content = sample(4 * LANE_BYTES, 2);
    const one = { bytes: content.byteLength, chunk: LANE_BYTES, slow: 0, closedAt: undefined };
    expect(await send(lanes.open(), one, content)).toBe(md5Of(content));
    expect(await stalled.digest()).toBe(md5Of(sample(100, 1)));
  });

  it('use no lane for a single stream, or for more than 64', async () => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    const content = sample(2 * LANE_BYTES, 3);
    const alone = { bytes: content.byteLength, chunk: LANE_BYTES, slow: 0, closedAt: undefined };
    expect(await send(lanes.open(), alone, content)).toBe(md5Of(content));
    expect(memory.widths).toEqual([]);
    const many = Array.from({ length: 80 }, () => lanes.open());
    expect(memory.taken).toBe(64);
    for (const hash of many) hash.close();
    expect(memory.taken).toBe(0);
  });

  it('give no digest once they are closed', async () => {
    const lanes = new Md5Lanes(new LaneMemory());
    const [closed, other] = [lanes.open(), lanes.open()];
    await closed.update(sample(50_000, 1));
    await other.update(sample(10, 1));
    const digest = closed.digest();
    closed.close();
    await expect(digest).rejects.toThrow('closed');
    expect(await other.digest()).toBe(md5Of(sample(10, 1)));
  });

  it('of 5 GiB has the digest that md5sum gives', async () => {
    const lanes = new Md5Lanes(new LaneMemory());
    const other = lanes.open();
    const hash = lanes.open();
    const zeros = Buffer.alloc(LANE_BYTES);
    for (let mib = 0; mib < 5 * 1024; mib += 1) await hash.update(zeros);
    expect(await hash.digest()).toBe('ec4bcc8776ea04479b786e063a9ace45');
    other.close();
  }, 120_000);
});
