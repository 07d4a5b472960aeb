import { describe, expect, it } from '@jest/globals';
import { LaneMemory, type Kernel, type Lane } from '../../../../api/md5/lane-memory';
import { Md5Engine } from '../../../../api/md5/md5-engine';
import { md5Of, sample } from './sample';

/** An engine in whose time every measured step takes 1 ms, and a kernel as much longer as `slower` says. */
function engineOf(
  createMemory: () => LaneMemory = () => new LaneMemory(),
  slower: (kernel: string) => number = () => 0,
): Md5Engine {
  let ms = 0;
  const now = (): number => (ms += 1);
  return new Md5Engine(() => {
    const memory = createMemory();
    const hash = memory.hash.bind(memory);
    memory.hash = (lanes, blocks, kernel) => {
      ms += slower(kernel?.name ?? '');
      hash(lanes, blocks, kernel);
    };
    return memory;
  }, now);
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
    const engine = engineOf(() => new Watched());
    expect(await digestOf(engine, sample(10_000, 1))).toBe(md5Of(sample(10_000, 1)));
    expect(engine.gain).toBe(0);
    const { engine: name, gain } = await engine.report();
    expect(name).toBe('lanes');
    expect([gain, engine.gain]).toEqual([4, 4]);
    const before = taken.length;
    expect(await digestOf(engine, sample(10_000, 2))).toBe(md5Of(sample(10_000, 2)));
    expect(taken).toHaveLength(before + 1);
  });

  it('is computed by the kernels that are the fastest on this machine', async () => {
    class Watched extends LaneMemory {
      readonly used: (string | undefined)[] = [];
      override prefer(kernels: readonly Kernel[]): void {
        this.used.push(...[3, 4, 5].map((count) => kernels.find(({ lanes }) => lanes >= count)?.name));
        super.prefer(kernels);
      }
    }
    const memory = new Watched();
    const slower = (kernel: string): number => ({ scalar3: 0.5, scalar4: 2, vector4: 1 })[kernel] ?? 0;
    // Eight lanes in 1 ms are the fastest for any number of streams.
    expect(await engineOf(() => memory, slower).report()).toMatchObject({ engine: 'lanes', gain: 4 });
    expect(memory.used).toEqual(['vector8', 'vector8', 'vector8']);
    const others = new Watched();
    const numbers = (kernel: string): number => (kernel.startsWith('vector') ? 1 : 0);
    expect(await engineOf(() => others, numbers).report()).toMatchObject({ engine: 'lanes', gain: 4 });
    expect(others.used).toEqual(['scalar3', 'scalar4', 'vector8']);
  });

  it.each([
    [
      'give a wrong digest',
      (): LaneMemory => new WrongMemory(),
      "Lanes can't be used here: scalar3 gives wrong digests.",
    ],
    ['are slower', undefined, 'Lanes are not faster here.'],
    [
      "can't run",
      (): LaneMemory => {
        throw new Error('no SIMD');
      },
      "Lanes can't be used here: no SIMD",
    ],
  ])('keeps using node:crypto if lanes %s, and says so', async (_how, create, reason) => {
    const engine = create === undefined ? engineOf(create, () => 3) : engineOf(create);
    expect(await engine.report()).toMatchObject({ engine: 'node:crypto', reason });
    expect(engine.gain).toBe(0);
    expect(await digestOf(engine, sample(100_000, 3))).toBe(md5Of(sample(100_000, 3)));
  });
});
