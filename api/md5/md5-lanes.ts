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
/** Hashing fewer bytes takes less time than gathering them. */
const SMALL_BYTES = 8 * 1024;

/**
 * MD5 of many streams at once. Each stream fills a lane. Once a lane is full, or its stream ends, one kernel hashes it
 * side by side with all others that have bytes. A single stream uses node:crypto, which is faster than one lane.
 */
export class Md5Lanes {
  /** Streams that have, or may get, a lane. */
  readonly #streams = new Set<LaneHash>();
  readonly #waiting = new Set<LaneHash>();
  /** Streams that the others waited for in vain. */
  readonly #late = new Set<LaneHash>();
  #timer: { readonly id: NodeJS.Timeout; readonly due: number } | undefined;
  /** Digests that lanes gave, and how often lanes waited for others in vain. */
  readonly counts = { digests: 0, timeouts: 0 };

  constructor(private readonly memory: LaneMemory) {}

  readonly open = (): PartHash => {
    const stream = new LaneHash(this);
    this.#streams.add(stream);
    return stream;
  };

  /** Undefined: too many streams have one. */
  takeLane(): Lane | undefined {
    return this.memory.take();
  }

  /** Whether no other stream is open that has, or may get, a lane. */
  get isAlone(): boolean {
    return this.#streams.size <= 1;
  }

  /** Takes the stream and its lane out. */
  remove(stream: LaneHash): void {
    for (const set of [this.#streams, this.#waiting, this.#late]) set.delete(stream);
    if (stream.lane !== undefined) this.memory.release(stream.lane);
    stream.lane = undefined;
  }

  /** Calls the stream's `moved` once its lane has room again or is done. */
  ask(stream: LaneHash, ended: boolean): void {
    this.#waiting.add(stream);
    this.came(stream);
    if (!this.#waiting.has(stream)) return;
    const waitMs = ended ? GATHER_ENDED_MS : GATHER_MS;
    const due = performance.now() + waitMs;
    if (this.#timer !== undefined && this.#timer.due <= due) return;
    clearTimeout(this.#timer?.id);
    const id = setTimeout(() => {
      this.counts.timeouts += 1;
      for (const each of this.#missing()) this.#late.add(each);
      this.#serve();
    }, waitMs);
    this.#timer = { id, due };
  }

  /** Notes that the stream took in bytes. */
  came(stream: LaneHash): void {
    this.#late.delete(stream);
    this.serveIfAllCame();
  }

  serveIfAllCame(): void {
    if (this.#waiting.size > 0 && this.#missing().length === 0) this.#serve();
  }

  /**
   * The streams worth waiting for. There are none if enough lanes for a kernel are ready. A stream that was waited for
   * in vain counts again only after it takes in bytes.
   */
  #missing(): LaneHash[] {
    const all = [...this.#streams].filter(({ lane }) => lane);
    const others = all.filter(
      (stream) => !this.#waiting.has(stream) && (stream.lane?.blocks ?? 0) < WORTH_BLOCKS,
    );
    return all.length - others.length < MAX_WIDTH ? others.filter((stream) => !this.#late.has(stream)) : [];
  }

  #serve(): void {
    clearTimeout(this.#timer?.id);
    this.#timer = undefined;
    while (this.#waiting.size > 0) {
      this.#hashNext();
      for (const stream of this.#waiting) {
        if (stream.lane?.hasMoved === false) continue;
        this.#waiting.delete(stream);
        stream.moved();
      }
    }
  }

  /** Hashes the fullest lane that asks, together with those that have enough blocks. */
  #hashNext(): void {
    const [first] = lanesOf(this.#waiting);
    if (first === undefined) return;
    const least = Math.max(1, Math.min(WORTH_BLOCKS, first.blocks >> 1));
    const others = lanesOf(this.#streams).filter((lane) => lane !== first && lane.blocks >= least);
    const lanes = [first, ...others].slice(0, MAX_WIDTH);
    this.memory.hash(lanes, Math.min(...lanes.map(({ blocks }) => blocks)));
  }
}

/** Sorted: the fullest lane first. */
function lanesOf(streams: Iterable<LaneHash>): Lane[] {
  return [...streams].flatMap(({ lane }) => lane ?? []).sort((one, other) => other.blocks - one.blocks);
}

/**
 * The MD5 of one stream. It takes a lane once it has enough bytes. It moves to node:crypto if it is the only stream when
 * the lane is full, if there are too many lanes, or if it ends before it takes one.
 */
class LaneHash implements PartHash {
  lane: Lane | undefined;
  /** The first bytes, while they are too few for a lane. */
  #held: Uint8Array = EMPTY;
  #own: Hash | undefined;
  /** The digest that the lane gave. */
  #done: string | undefined;
  #closed = false;
  #onMoved: (() => void) | undefined;

  constructor(private readonly lanes: Md5Lanes) {}

  update(chunk: Uint8Array): void | Promise<void> {
    if (this.#closed) return;
    if (this.#own === undefined && this.lane === undefined && !this.#start(chunk.byteLength)) {
      // The caller may reuse its chunk.
      this.#held = Buffer.concat([this.#held, chunk]);
      return;
    }
    const taken = this.lane?.take(chunk);
    if (taken === undefined) this.#own?.update(chunk);
    else if (taken < chunk.byteLength) return this.#updateRest(chunk.subarray(taken));
    else this.lanes.came(this);
  }

  async digest(): Promise<string> {
    if (this.#own === undefined && this.lane === undefined) this.#leave(this.#held);
    this.#leaveIfAlone();
    if (this.lane !== undefined) {
      this.lane.end();
      await this.#moves(true);
    }
    const digest = this.#done ?? this.#own?.digest('hex');
    if (digest === undefined || this.#closed) throw new Error('The hash was closed before its digest.');
    this.close();
    return digest;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.lanes.remove(this);
    this.lanes.serveIfAllCame();
    this.#onMoved?.();
  }

  /** Called when the lane has room again or is done. Frees a lane that is done at once, since others need it. */
  moved(): void {
    if (this.lane?.ended === true) {
      this.#done = this.lane.digest();
      this.lanes.counts.digests += 1;
      this.lanes.remove(this);
    }
    this.#onMoved?.();
  }

  /** Takes a lane, or node:crypto if there are too many. Returns false while there are too few bytes. */
  #start(bytes: number): boolean {
    const held = this.#held;
    if (held.byteLength + bytes < SMALL_BYTES) return false;
    this.lane = this.lanes.takeLane();
    if (this.lane === undefined) this.#leave(held);
    else this.lane.take(held);
    this.#held = EMPTY;
    return true;
  }

  async #updateRest(chunk: Uint8Array): Promise<void> {
    this.#leaveIfAlone();
    this.#own?.update(chunk);
    let rest = this.#own === undefined ? chunk : EMPTY;
    while (rest.byteLength > 0) {
      await this.#moves(false);
      rest = rest.subarray(this.lane?.take(rest) ?? rest.byteLength);
    }
  }

  async #moves(ended: boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onMoved = resolve;
      this.lanes.ask(this, ended);
    });
  }

  /** Moves to node:crypto if this is the only stream and none of its bytes are hashed yet. */
  #leaveIfAlone(): void {
    if (!this.lanes.isAlone) return;
    const content = this.lane?.content;
    if (content !== undefined) this.#leave(content);
  }

  /** Continues with node:crypto. */
  #leave(content: Uint8Array): void {
    this.#own = createHash('md5').update(content);
    this.lanes.remove(this);
  }
}

const EMPTY = new Uint8Array(0);
