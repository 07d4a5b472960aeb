import { LaneMemory, type Lane } from '../../../../api/md5/lane-memory';
import { createMd5Engine } from '../../../../api/md5/md5-engine';
import { md5Of, sample } from './sample';

class WrongMemory extends LaneMemory {
  override hash(lanes: readonly Lane[], blocks: number): void {
    super.hash(lanes, blocks);
    if (lanes.length === 3) this.setWord(lanes[1]?.state ?? 0, 4711);
  }
}

const digestOf = async (engine: ReturnType<typeof createMd5Engine>, content: Buffer): Promise<string> => {
  const hash = engine.open();
  await hash.update(content);
  const digest = await hash.digest();
  hash.close();
  return digest;
};

describe('the MD5 of a process', () => {
  it('is computed in lanes that have proved correct', async () => {
    const taken: (Lane | undefined)[] = [];
    class Watched extends LaneMemory {
      override take(): Lane | undefined {
        const lane = super.take();
        taken.push(lane);
        return lane;
      }
    }
    const engine = createMd5Engine(() => new Watched());
    expect(engine.report()).toEqual({ engine: 'lanes' });
    const before = taken.length;
    expect(await digestOf(engine, sample(10_000, 2))).toBe(md5Of(sample(10_000, 2)));
    expect(taken).toHaveLength(before + 1);
  });

  it.each([
    [
      'give a wrong digest',
      (): LaneMemory => new WrongMemory(),
      "Lanes can't be used here: 3 at once have wrong digests.",
    ],
    [
      "can't run",
      (): LaneMemory => {
        throw new Error('no SIMD');
      },
      "Lanes can't be used here: no SIMD",
    ],
  ])('is computed by node:crypto if lanes %s, and the report says so', async (_how, create, reason) => {
    const engine = createMd5Engine(create);
    expect(engine.report()).toEqual({ engine: 'node:crypto', reason });
    expect(await digestOf(engine, sample(100_000, 3))).toBe(md5Of(sample(100_000, 3)));
  });
});
