import { LaneMemory, MAX_WIDTH, type Lane } from '../../../../api/md5/lane-memory';
import { createMd5Engine } from '../../../../api/md5/md5-engine';
import { md5Of, sample, WatchedMemory } from './sample';

class WrongMemory extends LaneMemory {
  override hash(lanes: readonly Lane[], blocks: number): void {
    super.hash(lanes, blocks);
    if (lanes.length === 3) this.setWord(lanes[1]?.state ?? 0, 4711);
  }
}

const noSimd = (): never => {
  throw new Error('no SIMD');
};

describe('the MD5 of a process', () => {
  it('is computed in lanes that have proved correct', async () => {
    const memory = new WatchedMemory();
    const engine = createMd5Engine(() => memory);
    expect(engine.report()).toEqual({ engine: 'lanes' });
    expect(new Set(memory.widths).size).toBe(MAX_WIDTH);
    const hash = engine.open();
    await hash.update(sample(10_000, 2));
    expect(memory.taken).toBe(1);
    expect(await hash.digest()).toBe(md5Of(sample(10_000, 2)));
  });

  it.each([
    ['give a wrong digest', () => new WrongMemory(), '3 at once have wrong digests.'],
    ["can't run", noSimd, 'no SIMD'],
  ])('is computed by node:crypto if lanes %s, and the report says so', async (_how, create, why) => {
    const engine = createMd5Engine(create);
    const reason = `Lanes can't be used here: ${why}`;
    expect(engine.report()).toEqual({ engine: 'node:crypto', reason });
    const hash = engine.open();
    await hash.update(sample(100_000, 3));
    expect(await hash.digest()).toBe(md5Of(sample(100_000, 3)));
  });
});
