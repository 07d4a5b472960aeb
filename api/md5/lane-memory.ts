import { BLOCK_BYTES, md5Kernel } from './md5-kernel';
import { wasmModule } from './wasm-bytes';

/** Scratch memory of the kernels. */
const SCRATCH_BYTES = 512;

/** How many bytes a lane buffers before it must be hashed: a chunk of a file, so that sending continues. */
export const LANE_BYTES = 1024 * 1024;
const STATE_BYTES = 64;
/** The end of a stream plus MD5's padding: at most two blocks. */
const END_BYTES = 2 * BLOCK_BYTES;
const SLOT_BYTES = STATE_BYTES + LANE_BYTES + END_BYTES;
const PAGE_BYTES = 64 * 1024;
/** RFC 1321, 3.3. */
const INITIAL_STATE = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const;

/** Further streams use node:crypto, because WebAssembly never frees memory. */
export const MAX_LANES = 16;
/** The largest number of lanes that can be hashed side by side. */
export const MAX_WIDTH = 8;

/** The parts of WebAssembly that we use. Node's types don't describe it. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
};

/** Hashes blocks of `lanes` streams side by side. */
interface Kernel {
  readonly lanes: number;
  readonly run: (...addressesAndBlocks: number[]) => void;
}

/**
 * The memory of one WebAssembly instance, divided into lanes, each with the state and the next bytes of one MD5. The
 * system provides a page of it when it is first used.
 */
export class LaneMemory {
  readonly bytes: Uint8Array;
  readonly #words: DataView;
  /** In ascending order of lanes. */
  readonly #kernels: readonly Kernel[];
  readonly #free: Lane[];
  /** Fills the spare lanes of a kernel that has more lanes than there are streams. */
  readonly #idle: Lane;

  /** Throws if this process can't run the kernels: no WebAssembly, or no SIMD. */
  constructor() {
    const size = SCRATCH_BYTES + (MAX_LANES + 1) * SLOT_BYTES;
    const memory = new WebAssembly.Memory({ initial: Math.ceil(size / PAGE_BYTES) });
    const kernels = [1, 2].map((count) => ({ lanes: 4 * count, ...md5Kernel(count) }));
    const compiled = new WebAssembly.Module(wasmModule(kernels));
    const instance = new WebAssembly.Instance(compiled, { env: { memory } });
    this.#kernels = kernels.map(({ name, lanes }) => ({
      lanes,
      run: instance.exports[name] as Kernel['run'],
    }));
    this.bytes = new Uint8Array(memory.buffer);
    this.#words = new DataView(memory.buffer);
    this.#idle = new Lane(this, SCRATCH_BYTES);
    this.#free = Array.from(
      { length: MAX_LANES },
      (_, lane) => new Lane(this, SCRATCH_BYTES + (MAX_LANES - lane) * SLOT_BYTES),
    );
  }

  /** Undefined: all lanes are taken. */
  take(): Lane | undefined {
    const lane = this.#free.pop();
    lane?.reset();
    return lane;
  }

  release(lane: Lane): void {
    this.#free.push(lane);
  }

  /** Hashes this many blocks of each lane, 1 to `MAX_WIDTH` lanes, side by side. */
  hash(lanes: readonly Lane[], blocks: number): void {
    const kernel = this.#kernels.find((one) => one.lanes >= lanes.length);
    const addresses = Array.from({ length: kernel?.lanes ?? 0 }, (_, index) => {
      const { state, next } = lanes[index] ?? this.#idle;
      return [state, next];
    });
    kernel?.run(...addresses.flat(), blocks);
    for (const lane of lanes) lane.hashed(blocks * BLOCK_BYTES);
  }

  setWord(at: number, value: number): void {
    this.#words.setUint32(at, value, true);
  }

  copy(at: number, end: number): Buffer {
    return Buffer.from(this.bytes.subarray(at, end));
  }
}

/** One MD5 in progress: its state, and the bytes that are not hashed yet. */
export class Lane {
  readonly #begin: number;
  #from = 0;
  #to = 0;
  #length = 0;
  ended = false;
  #touched = false;

  constructor(
    private readonly memory: LaneMemory,
    readonly state: number,
  ) {
    this.#begin = state + STATE_BYTES;
  }

  /** Address of the bytes to hash next. */
  get next(): number {
    return this.#begin + this.#from;
  }

  /** Whole blocks that can be hashed. */
  get blocks(): number {
    return (this.#to - this.#from) >>> 6;
  }

  get room(): number {
    return LANE_BYTES - (this.#to - this.#from);
  }

  /** Whether it has room again, or is completely hashed, including its end. */
  get hasMoved(): boolean {
    return this.ended ? this.#to === this.#from : this.room > 0;
  }

  /** All bytes that it took in, if none of them are hashed yet. */
  get content(): Buffer | undefined {
    return this.#touched ? undefined : this.memory.copy(this.#begin, this.#begin + this.#to);
  }

  reset(): void {
    INITIAL_STATE.forEach((word, index) => this.memory.setWord(this.state + 4 * index, word));
    this.#from = 0;
    this.#to = 0;
    this.#length = 0;
    this.ended = false;
    this.#touched = false;
  }

  /** Takes in as much of the chunk as fits, and returns the number of bytes. */
  take(chunk: Uint8Array): number {
    const count = Math.min(chunk.byteLength, this.room);
    this.#compact(count);
    this.memory.bytes.set(chunk.subarray(0, count), this.#begin + this.#to);
    this.#to += count;
    this.#length += count;
    return count;
  }

  /** Adds MD5's padding: a one, zeros, and the length in bits. */
  end(): void {
    const padded = Math.ceil((this.#length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
    const padding = padded - this.#length;
    this.#compact(padding);
    const at = this.#begin + this.#to;
    this.memory.bytes.fill(0, at, at + padding).fill(0x80, at, at + 1);
    this.memory.setWord(at + padding - 8, (this.#length * 8) % 2 ** 32);
    this.memory.setWord(at + padding - 4, Math.floor((this.#length * 8) / 2 ** 32) % 2 ** 32);
    this.#to += padding;
    this.ended = true;
  }

  hashed(count: number): void {
    this.#touched = true;
    this.#from += count;
    if (this.#from === this.#to) {
      this.#from = 0;
      this.#to = 0;
    }
  }

  digest(): string {
    return this.memory.copy(this.state, this.state + 16).toString('hex');
  }

  #compact(count: number): void {
    if (this.#to + count <= LANE_BYTES + END_BYTES) return;
    this.memory.bytes.copyWithin(this.#begin, this.#begin + this.#from, this.#begin + this.#to);
    this.#to -= this.#from;
    this.#from = 0;
  }
}
