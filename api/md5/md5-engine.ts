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
const MIN_TRIES = 7;
/** Lanes that are not faster after this many tries are not used. */
const MAX_TRIES = 40;
const PAUSE_MS = 5;
/** The fewest bytes of a lane that is hashed together with others. */
const SAMPLE_BYTES = 64 * 1024;
/** Tries with smaller samples, each half of the next. */
const WARM_UPS = 3;

interface Md5Report {
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
  #measuring: Promise<Md5Report> | undefined;
  #lanes: Md5Lanes | undefined;
  #found: Md5Report | undefined;

  constructor(
    private readonly createMemory: () => LaneMemory = () => new LaneMemory(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  readonly open = (): PartHash => {
    if (this.#lanes !== undefined) return this.#lanes.open();
    void this.report();
    return md5OfNode();
  };

  /**
   * Resolves once the lanes have been checked and timed: some tens of milliseconds after the first call. Never rejects.
   */
  report(): Promise<Md5Report> {
    this.#measuring ??= this.#measure();
    return this.#measuring;
  }

  /** How many digests lanes gave. */
  get laneDigests(): number {
    return this.#lanes?.counts.digests ?? 0;
  }

  /** Four lanes as a multiple of node:crypto's rate; 0 while node:crypto is used. */
  get gain(): number {
    const { engine, gain = 0 } = this.#found ?? {};
    return engine === 'lanes' ? gain : 0;
  }

  async #measure(): Promise<Md5Report> {
    this.#found = await this.#choose();
    return this.#found;
  }

  async #choose(): Promise<Md5Report> {
    try {
      const memory = this.createMemory();
      requireRightDigests(memory);
      const gain = await gainOf(memory, this.now);
      if (gain < LEAST_GAIN) return { engine: 'node:crypto', gain, reason: 'Lanes are not faster here.' };
      this.#lanes = new Md5Lanes(memory);
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
  return Buffer.alloc(bytes, `MD5 of ${bytes} bytes`);
}

/**
 * Times the kernels, makes the memory prefer the fastest, and returns how many times as fast as node:crypto four lanes
 * are.
 */
async function gainOf(memory: LaneMemory, now: () => number): Promise<number> {
  const largest = sample(SAMPLE_BYTES);
  const timeOf = (run: () => unknown): number => {
    const from = now();
    run();
    return now() - from;
  };
  // One hash for all tries, because creating one would count.
  const hash = createHash('md5');
  let ofNode = Number.POSITIVE_INFINITY;
  let kernels = memory.kernels.map((kernel) => ({ kernel, ms: Number.POSITIVE_INFINITY }));
  let gain = 0;
  for (let attempt = 0; attempt < MIN_TRIES || (attempt < MAX_TRIES && gain < LEAST_GAIN); attempt += 1) {
    // The process has other work to do, and V8 optimises in the pauses.
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    // Small at first: until V8 has optimised a kernel, a large sample would take ten times as long.
    const content = largest.subarray(0, SAMPLE_BYTES >> Math.max(0, WARM_UPS - attempt));
    const perByte = (run: () => unknown): number => timeOf(run) / content.byteLength;
    ofNode = Math.min(
      ofNode,
      perByte(() => hash.update(content)),
    );
    kernels = kernels
      .map(({ kernel, ms }) => ({
        kernel,
        ms: Math.min(
          ms,
          perByte(() => runOnce(memory, kernel, content)),
        ),
      }))
      .sort((one, other) => one.ms - other.ms);
    const ofLanes = kernels.find(({ kernel }) => kernel.lanes >= WIDTH)?.ms ?? Number.POSITIVE_INFINITY;
    gain = (WIDTH * ofNode) / ofLanes;
  }
  memory.prefer(kernels.map(({ kernel }) => kernel));
  return gain;
}

/** Hashes the content in each lane of the kernel. */
function runOnce(memory: LaneMemory, kernel: Kernel, content: Uint8Array): void {
  const lanes = Array.from({ length: kernel.lanes }, () => memory.take());
  for (const lane of lanes) lane.take(content);
  hashAll(memory, lanes, kernel);
  for (const lane of lanes) memory.release(lane);
}
