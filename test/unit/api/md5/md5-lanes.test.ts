import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { LANE_BYTES, LaneMemory } from '../../../../api/md5/lane-memory';
import { Md5Lanes } from '../../../../api/md5/md5-lanes';
import type { PartHash } from '../../../../api/md5/part-hash';
import { MAX_PART_BYTES } from '../../../../api/upload/plan-parts';
import { md5Of, sample, WatchedMemory } from './sample';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Sent {
  readonly chunk?: number;
  /** Turns of the event loop before each chunk. */
  readonly slow?: number;
  /** Closed after this number of turns, whatever it does. */
  readonly closedIn?: number | undefined;
}

async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await turn();
}

async function send(
  hash: PartHash,
  content: Buffer,
  { chunk = LANE_BYTES, slow = 0, closedIn }: Sent = {},
): Promise<string> {
  const bytes = content.byteLength;
  const closing = closedIn === undefined ? undefined : turns(closedIn).then(() => hash.close());
  try {
    for (let at = 0; at < bytes; at += chunk) {
      await turns(slow);
      // A reader reuses its buffer as soon as `update` is done.
      const buffer = Buffer.from(content.subarray(at, Math.min(bytes, at + chunk)));
      await hash.update(buffer);
      buffer.fill(0);
    }
    return await hash.digest();
  } finally {
    hash.close();
    await closing;
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
  closedIn: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 4 }),
});

describe('streams hashed in lanes', () => {
  it('have the MD5 of node:crypto, in any number, order and interleaving, or were closed meanwhile', async () => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    let digests = 0;
    const refusals = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(sent, { minLength: 1, maxLength: 24 }), async (all) => {
        const contents = all.map((one, index) => sample(one.bytes, index + digests));
        const results = await Promise.allSettled(
          all.map((one, index) => send(lanes.open(), contents[index] ?? Buffer.of(), one)),
        );
        results.forEach((result, index) => {
          if (result.status === 'fulfilled') expect(result.value).toBe(md5Of(contents[index] ?? Buffer.of()));
          else refusals.add(`${all[index]?.closedIn !== undefined} ${result.reason}`);
        });
        digests += results.length;
        expect(memory.taken).toBe(0);
      }),
      { numRuns: 200 },
    );
    expect(digests).toBeGreaterThan(1_000);
    expect([...refusals]).toEqual(['true Error: The hash was closed before its digest.']);
    expect([1, 2, 3, 4, 5].filter((width) => !memory.widths.includes(width))).toEqual([]);
  }, 120_000);

  it.each([2, 3, 4, 5, 8])('are hashed side by side once all %i have arrived', async (count) => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    const content = sample(3 * LANE_BYTES, 1);
    const all = Array.from({ length: count }, () => lanes.open());
    const digests = await Promise.all(all.map((hash) => send(hash, content, { slow: 1 })));
    expect(new Set(digests)).toEqual(new Set([md5Of(content)]));
    expect(memory.widths.filter((width) => width === count).length).toBeGreaterThanOrEqual(3);
  });

  it('do not wait for a stream that stalls', async () => {
    const lanes = new Md5Lanes(new LaneMemory());
    const stalled = lanes.open();
    await stalled.update(sample(100, 1));
    const content = sample(4 * LANE_BYTES, 2);
    expect(await send(lanes.open(), content)).toBe(md5Of(content));
    expect(await stalled.digest()).toBe(md5Of(sample(100, 1)));
  });

  it('use no lane for a single stream, or for more than 16', async () => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    const content = sample(2 * LANE_BYTES, 3);
    expect(await send(lanes.open(), content)).toBe(md5Of(content));
    expect(memory.widths).toEqual([]);
    const many = Array.from({ length: 20 }, () => lanes.open());
    for (const hash of many) await hash.update(content.subarray(0, 10_000));
    expect(memory.taken).toBe(16);
    expect(await many[19]?.digest()).toBe(md5Of(content.subarray(0, 10_000)));
    for (const hash of many) hash.close();
    expect(memory.taken).toBe(0);
  });

  it('use a lane from 8 KiB on, also if their bytes come one by one', async () => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    const [one, other] = [lanes.open(), lanes.open()];
    const content = sample(8 * 1024, 1);
    let before = 0;
    for (let at = 0; at < content.byteLength; at += 1) {
      before = memory.taken;
      const buffer = Buffer.from(content.subarray(at, at + 1));
      await one.update(buffer);
      buffer.fill(0);
    }
    expect([before, memory.taken]).toEqual([0, 1]);
    await other.update(content.subarray(1));
    expect(memory.taken).toBe(1);
    const digests = await Promise.all([one.digest(), other.digest()]);
    expect(digests).toEqual([content, content.subarray(1)].map(md5Of));
    expect(lanes.counts.digests).toBe(1);
    expect(memory.taken).toBe(0);
  });

  it('do not wait for streams without bytes, and not for those that have their digest', async () => {
    const lanes = new Md5Lanes(new LaneMemory());
    const fresh = lanes.open();
    const ended = lanes.open();
    const [first, second] = [lanes.open(), lanes.open()];
    const content = sample(3 * LANE_BYTES, 4);
    for (const hash of [ended, first, second]) await hash.update(content.subarray(0, LANE_BYTES));
    const digest = ended.digest();
    const rest = content.subarray(LANE_BYTES);
    await Promise.all([first.update(rest), second.update(rest)]);
    expect(await digest).toBe(md5Of(content.subarray(0, LANE_BYTES)));
    const digests = await Promise.all([first.digest(), second.digest()]);
    expect(digests).toEqual([content, content].map(md5Of));
    expect(lanes.counts).toEqual({ digests: 3, timeouts: 0 });
    for (const hash of [fresh, ended]) hash.close();
  });

  it('of 600 MB, the largest part, have the digests of node:crypto, four at once, in uneven chunks', async () => {
    const memory = new WatchedMemory();
    const lanes = new Md5Lanes(memory);
    /** The first stream passes the length in bits that 32 bits can count. The others end on the way. */
    const streams = [MAX_PART_BYTES, 40_000_001, 20_000_063, 9_999_999].map((length, index) => ({
      length,
      hash: lanes.open(),
      expected: createHash('md5'),
      chunk: 700_001 + 111_111 * index,
    }));
    const digests = await Promise.all(
      streams.map(async ({ length, hash, expected, chunk }, index) => {
        for (let at = 0, count = index; at < length; count += 1) {
          const piece = sample(Math.min(chunk + (count % 7) * 99_991, length - at), count);
          expected.update(piece);
          await hash.update(piece);
          at += piece.byteLength;
          await turn();
        }
        return hash.digest();
      }),
    );
    expect(digests).toEqual(streams.map(({ expected }) => expected.digest('hex')));
    expect(lanes.counts.digests).toBe(4);
    expect(memory.widths).toContain(4);
  }, 240_000);
});
