import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { Lane, LaneMemory } from './lane-memory';
import { MAX_WIDTH } from './lane-memory';
import type { PartHash } from './part-hash';

/** A lane joins the others only if it has this many blocks, or half as many as the lane that asks. */
const WORTH_BLOCKS = 1024;
/** How long a full lane waits for the others, ms. Its socket still has bytes to send. */
const GATHER_MS = 20;
/** How long an ended lane waits, ms. Its caller waits for the digest. */
const GATHER_ENDED_MS = 2;
/** Further streams use node:crypto, because lanes take memory. */
const MAX_LANES = 64;
/** Hashing fewer bytes takes less time than gathering them. */
const SMALL_BYTES = 8 * 1024;

/**
 * MD5 of many streams at once. Each stream fills a lane. Once a lane is full, or its stream ends, one kernel hashes it
 * side by side with all others that have bytes. A single stream uses node:crypto, which is faster than one lane.
 */
export class Md5Lanes {
  private readonly streams = new Set<LaneHash>();
  private readonly waiting = new Set<LaneHash>();
  /** Streams that the others waited for in vain. */
  private readonly late = new Set<LaneHash>();
  private timer: { readonly id: NodeJS.Timeout; readonly due: number } | undefined;

  constructor(private readonly memory: LaneMemory) {}

  readonly open = (): PartHash => {
    const stream = new LaneHash(this);
    this.streams.add(stream);
    return stream;
  };

  /** Undefined: too many streams have one. */
  takeLane(): Lane | undefined {
    return this.withLanes().length < MAX_LANES ? this.memory.take() : undefined;
  }

  release(lane: Lane): void {
    this.memory.release(lane);
  }

  /** Whether no other stream is open. */
  get isAlone(): boolean {
    return this.streams.size <= 1;
  }

  close(stream: LaneHash): void {
    this.streams.delete(stream);
    this.waiting.delete(stream);
    this.late.delete(stream);
    this.serveIfAllCame();
  }

  /** Notes that the stream took in bytes. */
  came(stream: LaneHash): void {
    this.late.delete(stream);
    this.serveIfAllCame();
  }

  /** Calls the stream's `moved` once its lane has room again or is done. */
  ask(stream: LaneHash, ended: boolean): void {
    this.late.delete(stream);
    this.waiting.add(stream);
    this.serveIfAllCame();
    if (!this.waiting.has(stream)) return;
    const waitMs = ended ? GATHER_ENDED_MS : GATHER_MS;
    const due = performance.now() + waitMs;
    if (this.timer !== undefined && this.timer.due <= due) return;
    clearTimeout(this.timer?.id);
    const id = setTimeout(() => {
      for (const each of this.missing()) this.late.add(each);
      this.serve();
    }, waitMs);
    this.timer = { id, due };
  }

  private serveIfAllCame(): void {
    if (this.waiting.size > 0 && this.missing().length === 0) this.serve();
  }

  /**
   * The streams worth waiting for. There are none if enough lanes for a kernel are ready. A stream that was waited for
   * in vain counts again only after it takes in bytes.
   */
  private missing(): LaneHash[] {
    const ready = this.withLanes().filter(
      (stream) => this.waiting.has(stream) || (stream.lane?.blocks ?? 0) >= WORTH_BLOCKS,
    );
    if (ready.length >= MAX_WIDTH) return [];
    return this.withLanes().filter((stream) => !ready.includes(stream) && !this.late.has(stream));
  }

  private withLanes(): LaneHash[] {
    return [...this.streams].filter(({ lane }) => lane !== undefined);
  }

  private serve(): void {
    clearTimeout(this.timer?.id);
    this.timer = undefined;
    while (this.waiting.size > 0) {
      this.hashNext();
      for (const stream of this.waiting) {
        if (stream.lane?.hasMoved === false) continue;
        this.waiting.delete(stream);
        stream.moved();
      }
    }
  }

  /** Hashes the fullest lane that asks, together with those that have enough blocks. */
  private hashNext(): void {
    const asking = lanesOf(this.waiting);
    const first = asking[0];
    if (first === undefined) return;
    const least = Math.max(1, Math.min(WORTH_BLOCKS, first.blocks >> 1));
    const others = lanesOf(this.streams).filter((lane) => lane !== first && lane.blocks >= least);
    const lanes = [first, ...others].slice(0, MAX_WIDTH);
    this.memory.hash(lanes, Math.min(...lanes.map(({ blocks }) => blocks)));
  }
}

/** Sorted: the fullest lane first. */
function lanesOf(streams: Iterable<LaneHash>): Lane[] {
  return [...streams].flatMap(({ lane }) => lane ?? []).sort((one, other) => other.blocks - one.blocks);
}

/**
 * The MD5 of one stream. It starts in a lane. It moves to node:crypto if it is the only stream when the lane is full,
 * or if there are too many lanes.
 */
class LaneHash implements PartHash {
  lane: Lane | undefined;
  private own: Hash | undefined;
  private closed = false;
  private onMoved: (() => void) | undefined;

  constructor(private readonly lanes: Md5Lanes) {
    this.lane = lanes.takeLane();
    if (this.lane === undefined) this.own = createHash('md5');
  }

  update(chunk: Uint8Array): void | Promise<void> {
    if (this.own !== undefined) this.own.update(chunk);
    else {
      const taken = this.lane?.take(chunk) ?? chunk.byteLength;
      if (taken < chunk.byteLength) return this.updateRest(chunk.subarray(taken));
      this.lanes.came(this);
    }
  }

  async digest(): Promise<string> {
    this.leaveIfAlone(SMALL_BYTES);
    const { lane, own } = this;
    lane?.end();
    if (lane !== undefined) await this.moves(true);
    const digest = own === undefined ? lane?.digest() : own.digest('hex');
    if (digest === undefined || this.closed) throw new Error('The hash was closed before its digest.');
    this.close();
    return digest;
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.lanes.close(this);
    this.leaveLane();
    this.moved();
  }

  /** Called when the lane has room again or is done. */
  moved(): void {
    this.onMoved?.();
  }

  private async updateRest(chunk: Uint8Array): Promise<void> {
    this.leaveIfAlone();
    this.own?.update(chunk);
    let rest = this.lane === undefined ? EMPTY : chunk;
    while (rest.byteLength > 0) {
      await this.moves(false);
      rest = rest.subarray(this.lane?.take(rest) ?? rest.byteLength);
    }
  }

  private async moves(ended: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.onMoved = resolve;
      this.lanes.ask(this, ended);
    });
  }

  /** Leaves the lane if this is the only stream, or if the lane holds fewer than `small` bytes. */
  private leaveIfAlone(small = 0): void {
    const content = this.lane?.content;
    if (content === undefined || (!this.lanes.isAlone && content.byteLength >= small)) return;
    this.own = createHash('md5').update(content);
    this.leaveLane();
  }

  private leaveLane(): void {
    if (this.lane !== undefined) this.lanes.release(this.lane);
    this.lane = undefined;
  }
}

const EMPTY = new Uint8Array(0);
