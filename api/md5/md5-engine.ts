import { createHash } from 'node:crypto';
import { LaneMemory, MAX_WIDTH } from './lane-memory';
import { Md5Lanes } from './md5-lanes';
import type { PartHashFactory } from './part-hash';
import { md5OfNode } from './part-hash';

interface Md5Engine {
  readonly open: PartHashFactory;
  readonly report: {
    readonly engine: 'lanes' | 'node:crypto';
    /** Why node:crypto is used, as a full sentence. */
    readonly reason?: string;
  };
}

/**
 * The MD5 of a process: lanes if they run and are correct here, else node:crypto. Both are made with the first use, which
 * takes some tens of milliseconds: it checks the lanes.
 */
export function createMd5Engine(createMemory = (): LaneMemory => new LaneMemory()) {
  let made: Md5Engine | undefined;
  const engine = (): Md5Engine => (made ??= choose(createMemory));
  return { open: () => engine().open(), report: () => engine().report };
}

function choose(createMemory: () => LaneMemory): Md5Engine {
  try {
    const memory = createMemory();
    for (let count = 1; count <= MAX_WIDTH; count += 1) requireRightDigests(memory, count);
    return { open: new Md5Lanes(memory).open, report: { engine: 'lanes' } };
  } catch (error) {
    const reason = `Lanes can't be used here: ${error instanceof Error ? error.message : String(error)}`;
    return { open: md5OfNode, report: { engine: 'node:crypto', reason } };
  }
}

/** The MD5 engine of this process. */
export const md5Engine = createMd5Engine();

/** Checks this number of streams side by side, which end at different positions of a block. */
function requireRightDigests(memory: LaneMemory, count: number): void {
  const contents = Array.from({ length: count }, (_, index) => `${index} `.repeat(31 * count + 67 * index));
  const lanes = contents.flatMap((content) => {
    const lane = memory.take();
    lane?.take(Buffer.from(content));
    lane?.end();
    return lane ?? [];
  });
  for (let open = lanes; open.length > 0; open = lanes.filter(({ blocks }) => blocks > 0))
    memory.hash(open, Math.min(...open.map(({ blocks }) => blocks)));
  lanes.forEach((lane, index) => {
    const expected = createHash('md5').update(contents[index] ?? '');
    if (lane.digest() !== expected.digest('hex')) throw new Error(`${count} at once have wrong digests.`);
    memory.release(lane);
  });
}
