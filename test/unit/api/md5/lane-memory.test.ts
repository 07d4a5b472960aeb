import { LaneMemory, MAX_WIDTH, type Lane } from '../../../../api/md5/lane-memory';
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

test('the kernels compute the MD5 of every number of streams and every length from 0 to 130 bytes, so up to three blocks', () => {
  for (let count = 1; count <= MAX_WIDTH; count += 1)
    for (let bytes = 0; bytes <= 130; bytes += 1) {
      const contents = Array.from({ length: count }, (_, lane) => sample(bytes, lane));
      expect(digestsOf(contents)).toEqual(contents.map(md5Of));
    }
});
