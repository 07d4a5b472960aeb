import { createHash } from 'node:crypto';
import type { Kernel, Lane } from './lane-memory';
import { LaneMemory } from './lane-memory';
import { Md5Lanes } from './md5-lanes';
import type { PartHash } from './part-hash';
import { md5OfNode } from './part-hash';

/** How many times as fast as node:crypto four lanes must be. */
const LEAST_GAIN = 1.2;
const WIDTH = 4;
/** V8 optimises a kernel after some calls. An earlier comparison would be wrong. */
const MIN_TRIES = 8;
/** Lanes that are not faster after this many tries are not used. */
const MAX_TRIES = 40;
const PAUSE_MS = 5;
const SAMPLE_BYTES = 64 * 1024;
const SAMPLES = 3;

export interface Md5Report {
  readonly engine: 'lanes' | 'node:crypto';
  /** Bytes per second of four lanes, divided by those of node:crypto. Unset if the lanes don't run here. */
  readonly gain?: number;
  /** Why node:crypto is used, as a full sentence. */
  readonly reason?: string;
}

/**
 * The MD5 of a process: lanes if they are correct and faster here, else node:crypto. It uses node:crypto until that is
 * known.
 */
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

  /**
   * Resolves once the lanes have been checked and timed: some hundred milliseconds after the first call. Never rejects.
   */
  report(): Promise<Md5Report> {
    this.measuring ??= this.measure();
    return this.measuring;
  }

  /** The same report, if it is known by now. */
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

/** The MD5 engine of this process. */
export const md5Engine = new Md5Engine();

/** Checks every kernel with a full and a smaller number of streams, which end at different positions of a block. */
function requireRightDigests(memory: LaneMemory): void {
  for (const kernel of memory.kernels)
    for (let count = 1; count <= kernel.lanes; count += 1) {
      const contents = Array.from({ length: count }, (_, index) => sample(31 * count + 67 * index));
      const lanes = contents.map((content) => {
        const lane = memory.take();
        lane.take(content);
        lane.end();
        return lane;
      });
      hashAll(memory, lanes, kernel);
      lanes.forEach((lane, index) => {
        const expected = createHash('md5')
          .update(contents[index] ?? '')
          .digest('hex');
        if (lane.digest() !== expected) throw new Error(`${kernel.name} gives wrong digests.`);
        memory.release(lane);
      });
    }
}

function hashAll(memory: LaneMemory, lanes: readonly Lane[], kernel: Kernel): void {
  for (;;) {
    const open = lanes.filter(({ blocks }) => blocks > 0);
    if (open.length === 0) return;
    memory.hash(open, Math.min(...open.map(({ blocks }) => blocks)), kernel);
  }
}

function sample(bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 167 + bytes) % 256));
}

/**
 * Times the kernels, makes the memory prefer the fastest, and returns how many times as fast as node:crypto four lanes
 * are.
 */
async function gainOf(memory: LaneMemory): Promise<number> {
  const content = sample(SAMPLE_BYTES);
  let ofNode = Number.POSITIVE_INFINITY;
  let kernels = memory.kernels.map((kernel) => ({ kernel, ms: Number.POSITIVE_INFINITY }));
  let gain = 0;
  for (let attempt = 0; attempt < MIN_TRIES || (attempt < MAX_TRIES && gain < LEAST_GAIN); attempt += 1) {
    // The process has other work to do, and V8 optimises in the pauses.
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    ofNode = Math.min(
      ofNode,
      fastest(() => createHash('md5').update(content).digest()),
    );
    kernels = kernels
      .map(({ kernel, ms }) => ({ kernel, ms: Math.min(ms, timeOf(memory, kernel, content)) }))
      .sort((one, other) => one.ms - other.ms);
    const ofLanes = kernels.find(({ kernel }) => kernel.lanes >= WIDTH)?.ms ?? Number.POSITIVE_INFINITY;
    gain = (WIDTH * ofNode) / ofLanes;
  }
  memory.prefer(kernels.map(({ kernel }) => kernel));
  return gain;
}

/** Returns the time to hash the content in each of its lanes, in ms. */
function timeOf(memory: LaneMemory, kernel: Kernel, content: Uint8Array): number {
  return fastest(() => {
    const lanes = Array.from({ length: kernel.lanes }, () => memory.take());
    for (const lane of lanes) lane.take(content);
    hashAll(memory, lanes, kernel);
    for (const lane of lanes) memory.release(lane);
  });
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
