import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { LANE_BYTES, LaneMemory, MAX_LANES, MAX_WIDTH, type Lane } from '../../../../api/md5/lane-memory';
import { md5Of, sample } from './sample';

const memory = new LaneMemory();

function take(): Lane {
  const lane = memory.take();
  if (lane === undefined) throw new Error('all lanes are taken');
  return lane;
}

function digestsOf(contents: readonly Uint8Array[]): string[] {
  const lanes = contents.map((content) => {
    const lane = take();
    expect(lane.take(content)).toBe(content.byteLength);
    lane.end();
    return lane;
  });
  for (;;) {
    const open = lanes.filter(({ blocks }) => blocks > 0);
    if (open.length === 0) break;
    memory.hash(open, Math.min(...open.map(({ blocks }) => blocks)));
  }
  const digests = lanes.map((lane) => lane.digest());
  for (const lane of lanes) memory.release(lane);
  return digests;
}

describe('the MD5 kernels', () => {
  it('compute the MD5 of every number of streams and every length from 0 to 200 bytes', () => {
    for (let count = 1; count <= MAX_WIDTH; count += 1)
      for (let bytes = 0; bytes <= 200; bytes += 1) {
        const contents = Array.from({ length: count }, (_, lane) => sample(bytes, lane));
        expect(digestsOf(contents)).toEqual(contents.map(md5Of));
      }
  });

  it('compute the MD5 of streams that end at different positions, and of a full lane', () => {
    const lengths = [0, 55, 56, 63, 64, 65, 119, LANE_BYTES];
    const contents = lengths.map((bytes, lane) => sample(bytes, lane));
    expect(digestsOf(contents)).toEqual(contents.map(md5Of));
  });
});

it('a lane accepts no more than it has room for', () => {
  const lane = take();
  expect(lane.take(sample(LANE_BYTES - 10, 1))).toBe(LANE_BYTES - 10);
  expect(lane.take(sample(100, 2))).toBe(10);
  expect([lane.room, lane.hasMoved]).toEqual([0, false]);
  memory.hash([lane], 3);
  expect([lane.room, lane.hasMoved]).toEqual([192, true]);
  expect(lane.take(sample(300, 3))).toBe(192);
  const whole = [sample(LANE_BYTES - 10, 1), sample(10, 2), sample(192, 3)];
  memory.hash([lane], lane.blocks);
  lane.end();
  memory.hash([lane], lane.blocks);
  const expected = createHash('md5');
  for (const chunk of [whole[0], sample(100, 2).subarray(0, 10), sample(300, 3).subarray(0, 192)])
    expected.update(chunk ?? '');
  expect(lane.digest()).toBe(expected.digest('hex'));
  memory.release(lane);
});

it('no more than MAX_LANES lanes are given at once', () => {
  const lanes = Array.from({ length: MAX_LANES }, take);
  expect(memory.take()).toBeUndefined();
  for (const lane of lanes) memory.release(lane);
});
