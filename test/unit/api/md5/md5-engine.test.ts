import { describe, expect, it } from '@jest/globals';
import { LaneMemory, type Kernel, type Lane } from '../../../../api/md5/lane-memory';
import { Md5Engine } from '../../../../api/md5/md5-engine';
import { md5Of, sample } from './sample';

/** As slow as a kernel that V8 never optimises. */
class SlowMemory extends LaneMemory {
  override hash(lanes: readonly Lane[], blocks: number, kernel?: Kernel): void {
    const until = performance.now() + 1;
    while (performance.now() < until);
    super.hash(lanes, blocks, kernel);
  }
}

class WrongMemory extends LaneMemory {
  override hash(lanes: readonly Lane[], blocks: number, kernel?: Kernel): void {
    super.hash(lanes, blocks, kernel);
    if (lanes.length === 3) this.setWord(lanes[1]?.state ?? 0, 4711);
  }
}

const digestOf = async (engine: Md5Engine, content: Buffer): Promise<string> => {
  const hash = engine.open();
  await hash.update(content);
  const digest = await hash.digest();
  hash.close();
  return digest;
};

describe('the MD5 of a process', () => {
  it('is computed in lanes once they have proved correct and faster, and by node:crypto before', async () => {
    const taken: Lane[] = [];
    class Watched extends LaneMemory {
      override take(): Lane {
        const lane = super.take();
        taken.push(lane);
        return lane;
      }
    }
    const engine = new Md5Engine(() => new Watched());
    expect(await digestOf(engine, sample(10_000, 1))).toBe(md5Of(sample(10_000, 1)));
    expect(engine.gain).toBe(0);
    const { engine: name, gain } = await engine.report();
    expect(name).toBe('lanes');
    expect(gain).toBeGreaterThan(1.2);
    expect(engine.gain).toBe(gain);
    const before = taken.length;
    expect(await digestOf(engine, sample(10_000, 2))).toBe(md5Of(sample(10_000, 2)));
    expect(taken).toHaveLength(before + 1);
  });

  it('is computed by the kernels that are the fastest on this machine', async () => {
    class SlowNumbers extends LaneMemory {
      readonly used: (string | undefined)[] = [];
      override hash(lanes: readonly Lane[], blocks: number, kernel?: Kernel): void {
        if (kernel?.name === 'scalar4') {
          const until = performance.now() + 1;
          while (performance.now() < until);
        }
        super.hash(lanes, blocks, kernel);
      }
      override prefer(kernels: readonly Kernel[]): void {
        this.used.push(...[3, 4, 5].map((count) => kernels.find(({ lanes }) => lanes >= count)?.name));
        super.prefer(kernels);
      }
    }
    const memory = new SlowNumbers();
    expect(await new Md5Engine(() => memory).report()).toMatchObject({ engine: 'lanes' });
    expect(memory.used[1]).toMatch(/^vector/);
    expect(memory.used[2]).toBe('vector8');
  });

  it.each([
    [
      'give a wrong digest',
      (): LaneMemory => new WrongMemory(),
      "Lanes can't be used here: scalar3 gives wrong digests.",
    ],
    ['are slower', (): LaneMemory => new SlowMemory(), 'Lanes are not faster here.'],
    [
      "can't run",
      (): LaneMemory => {
        throw new Error('no SIMD');
      },
      "Lanes can't be used here: no SIMD",
    ],
  ])('keeps using node:crypto if lanes %s, and says so', async (_how, create, reason) => {
    const engine = new Md5Engine(create);
    expect(await engine.report()).toMatchObject({ engine: 'node:crypto', reason });
    expect(engine.gain).toBe(0);
    expect(await digestOf(engine, sample(100_000, 3))).toBe(md5Of(sample(100_000, 3)));
  });
});
