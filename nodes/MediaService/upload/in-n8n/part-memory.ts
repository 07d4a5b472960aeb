/** Memory that a part may use until it is sent. */
export interface PartLease {
  /** Returns the memory. It may hold bytes of an earlier part. */
  readonly buffer: () => Buffer;
  readonly release: () => void;
}

interface Waiter {
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * Memory that uploads share: whoever asks gets it in the order of the calls. Buffers are used again, because V8 frees
 * large ones late; they are dropped once nobody uses any.
 */
export class PartMemory {
  readonly #waiting: Waiter[] = [];
  #free: Buffer[] = [];
  #used = 0;

  constructor(private readonly bytes: number) {}

  /**
   * A part that needs more than all memory gets it when nobody else has any. Rejects with the signal's reason when it
   * aborts.
   */
  take(bytes: number, signal: AbortSignal): Promise<PartLease> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        this.#grant();
        reject(signal.reason);
      };
      const grant = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(this.#lease(bytes));
      };
      const waiter = { bytes, grant };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
      this.#grant();
    });
  }

  #grant(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#used > 0 && this.#used + next.bytes > this.bytes) return;
      this.#used += next.bytes;
      this.#waiting.shift();
      next.grant();
    }
  }

  #lease(bytes: number): PartLease {
    let buffer: Buffer | undefined;
    return {
      buffer: () => (buffer ??= this.#buffer(bytes)).subarray(0, bytes),
      release: () => {
        this.#used -= bytes;
        if (buffer !== undefined) this.#free.push(buffer);
        this.#grant();
        if (this.#used === 0) this.#free = [];
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
