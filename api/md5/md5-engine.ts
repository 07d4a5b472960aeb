import { createHash } from 'node:crypto';
import type { Lane } from './lane-memory';
import { LaneMemory, MAX_WIDTH } from './lane-memory';
import { Md5Lanes } from './md5-lanes';
import type { PartHash } from './part-hash';
import { md5OfNode } from './part-hash';

/** Lanes must be so much faster than node:crypto, four at once. */
const LEAST_GAIN = 1.2;
const WIDTH = 4;
/** V8 needs some calls until it has optimised a kernel. */
const TRIES = 40;
const PAUSE_MS = 5;
const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 3;

export interface Md5Report {
  readonly engine: 'lanes' | 'node:crypto';
  /** Bytes per second of four lanes as a multiple of those of node:crypto; unset if the lanes don't run here. */
  readonly gain?: number;
  /** Why node:crypto is used: a full sentence. */
  readonly reason?: string;
}

/** The MD5 of a process: lanes if they are right and faster here, else node:crypto. Until that is known, node:crypto. */
export class Md5Engine {
  private measuring: Promise<Md5Report> | undefined;
  private lanes: Md5Lanes | undefined;
  private found: Md5Report | undefined;

  constructor(private readonly createMemory: () => LaneMemory = () => new LaneMemory()) {}

  readonly open = (): PartHash => {
    if (this.lanes !== undefined) return this.lanes.open();
    void this.report();
    return md5OfNode();
  };

  /** Resolves once the lanes have been checked and timed, some hundred milliseconds after the first call. Never rejects. */
  report(): Promise<Md5Report> {
    this.measuring ??= this.measure();
    return this.measuring;
  }

  /** The same, if it is known by now. */
  get known(): Md5Report | undefined {
    return this.found;
  }

  private async measure(): Promise<Md5Report> {
    this.found = await this.choose();
    return this.found;
  }

  private async choose(): Promise<Md5Report> {
    try {
      const memory = this.createMemory();
      requireRightDigests(memory);
      const gain = await gainOf(memory);
      if (gain < LEAST_GAIN) return { engine: 'node:crypto', gain, reason: 'Lanes are not faster here.' };
      this.lanes = new Md5Lanes(memory);
      return { engine: 'lanes', gain };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { engine: 'node:crypto', reason: `Lanes can't be used here: ${reason}` };
    }
  }
}

/** The one of this process. */
export const md5Engine = new Md5Engine();

/** Every kernel, with streams that end at different places of a block. */
function requireRightDigests(memory: LaneMemory): void {
  for (let width = 1; width <= MAX_WIDTH; width += 1) {
    const contents = Array.from({ length: width }, (_, index) => sample(31 * width + 67 * index));
    const lanes = contents.map((content) => {
      const lane = memory.take();
      lane.take(content);
      lane.end();
      return lane;
    });
    hashAll(memory, lanes);
    lanes.forEach((lane, index) => {
      const expected = createHash('md5')
        .update(contents[index] ?? '')
        .digest('hex');
      if (lane.digest() !== expected) throw new Error(`${width} lanes give wrong digests.`);
      memory.release(lane);
    });
  }
}

function hashAll(memory: LaneMemory, lanes: readonly Lane[]): void {
  for (;;) {
    const open = lanes.filter(({ blocks }) => blocks > 0);
    if (open.length === 0) return;
    memory.hash(open, Math.min(...open.map(({ blocks }) => blocks)));
  }
}

function sample(bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 167 + bytes) % 256));
}

/** Ends as soon as the lanes are clearly faster. */
async function gainOf(memory: LaneMemory): Promise<number> {
  const content = sample(SAMPLE_BYTES);
  let gain = 0;
  for (let attempt = 0; attempt < TRIES && gain < LEAST_GAIN; attempt += 1) {
    // The process has other things to do, and V8 optimises in the pauses.
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const ofNode = fastest(() => createHash('md5').update(content).digest());
    const ofLanes = fastest(() => {
      const lanes = Array.from({ length: WIDTH }, () => memory.take());
      for (const lane of lanes) lane.take(content);
      hashAll(memory, lanes);
      for (const lane of lanes) memory.release(lane);
    });
    gain = (WIDTH * ofNode) / ofLanes;
  }
  return gain;
}

function fastest(run: () => void): number {
  return Math.min(
    ...Array.from({ length: SAMPLES }, () => {
      const from = performance.now();
      run();
      return performance.now() - from;
    }),
  );
}
