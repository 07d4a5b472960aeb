import { Slots } from '../../../../api/slots';

/** Memory that a part may use until it is sent. */
export interface PartLease {
  /** Returns the memory. It may hold bytes of an earlier part. */
  readonly buffer: () => Buffer;
  readonly release: () => void;
}

/**
 * Memory that uploads share: whoever asks gets it in the order of the calls. Buffers are used again, because V8 frees
 * large ones late; they are dropped once nobody uses any.
 */
export class PartMemory {
  readonly #bytes: Slots;
  #free: Buffer[] = [];

  constructor(bytes: number) {
    this.#bytes = new Slots(() => bytes);
  }

  /**
   * A part that needs more than all memory gets it when nobody else has any. Rejects with the signal's reason when it
   * aborts.
   */
  async take(bytes: number, signal: AbortSignal): Promise<PartLease> {
    const leave = await this.#bytes.enter(signal, bytes);
    let buffer: Buffer | undefined;
    return {
      buffer: () => (buffer ??= this.#buffer(bytes)).subarray(0, bytes),
      release: () => {
        if (buffer !== undefined) this.#free.push(buffer);
        leave();
        if (this.#bytes.used === 0) this.#free = [];
      },
    };
  }

  /** A buffer of an earlier part if it is large enough. If it isn't, the earlier ones are dropped. */
  #buffer(bytes: number): Buffer {
    const earlier = this.#free.pop();
    if (earlier !== undefined && earlier.byteLength >= bytes) return earlier;
    this.#free = [];
    return Buffer.allocUnsafeSlow(bytes);
  }
}
