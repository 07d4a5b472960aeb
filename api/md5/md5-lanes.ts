import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { Lane, LaneMemory } from './lane-memory';
import { MAX_WIDTH } from './lane-memory';
import type { PartHash } from './part-hash';

/** A lane joins the others only if it has so many blocks, or half as many as whoever asks. */
const WORTH_BLOCKS = 1024;
/** A full lane waits so long for the others, ms: its socket still has bytes to send. */
const GATHER_MS = 20;
/** An ended one, ms: its caller waits for the digest. */
const GATHER_ENDED_MS = 2;
/** More streams than that use node:crypto: their lanes take memory. */
const MAX_LANES = 64;
/** Less than that is hashed sooner than gathered. */
const SMALL_BYTES = 8 * 1024;

/**
 * MD5 of many streams at once. Each stream fills a lane; once one is full, or ends, it is hashed together with all others that have bytes, side by side in one
 * kernel. A stream that is alone uses node:crypto, whose one chain is faster than a lane.
 */
export class Md5Lanes {
  private readonly streams = new Set<LaneHash>();
  private readonly waiting = new Set<LaneHash>();
  /** They were waited for in vain. */
  private readonly late = new Set<LaneHash>();
  private timer: { readonly id: NodeJS.Timeout; readonly due: number } | undefined;

  constructor(private readonly memory: LaneMemory) {}

  readonly open = (): PartHash => {
    const stream = new LaneHash(this);
    this.streams.add(stream);
    return stream;
  };

  /** Undefined: too many have one. */
  takeLane(): Lane | undefined {
    return this.withLanes().length < MAX_LANES ? this.memory.take() : undefined;
  }

  release(lane: Lane): void {
    this.memory.release(lane);
  }

  /** No other stream is open. */
  get isAlone(): boolean {
    return this.streams.size <= 1;
  }

  close(stream: LaneHash): void {
    this.streams.delete(stream);
    this.waiting.delete(stream);
    this.late.delete(stream);
    this.serveIfAllCame();
  }

  /** The stream took bytes in. */
  came(stream: LaneHash): void {
    this.late.delete(stream);
    this.serveIfAllCame();
  }

  /** Calls the stream's `moved` once its lane has room again, or is done. */
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

  /** Those that are worth waiting for: enough for a kernel, and none that was waited for in vain since it last came. */
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

  /** Who asks and has most, with those who have enough. */
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

/** The fullest first. */
function lanesOf(streams: Iterable<LaneHash>): Lane[] {
  return [...streams].flatMap(({ lane }) => lane ?? []).sort((one, other) => other.blocks - one.blocks);
}

/** The MD5 of one stream: first in a lane; with node:crypto if it is alone when that is full, or if there are too many lanes. */
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

  /** The lane has room again, or is done. */
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

  /** Also if it is smaller than `small` bytes. */
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
