/**
 * So large that a read costs little compared with the sending. Also, a socket has finished with a chunk when it
 * requests the next.
 */
export const BUFFER_BYTES = 1024 * 1024;
/** Enough for the parts that begin while others end. More would only occupy memory between uploads. */
const MAX_IDLE = 8;

/**
 * Buffers that one part has finished with and the next one reads into. New ones for each part would occupy memory until
 * the garbage collector finds them.
 */
export class ReadBuffers {
  readonly #idle: Buffer[] = [];

  /** Returns a buffer of at least this many bytes, but of at most `BUFFER_BYTES`. */
  take(bytes: number): Buffer {
    if (bytes < BUFFER_BYTES) return Buffer.allocUnsafeSlow(bytes);
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES);
  }

  /** Takes back buffers that nobody reads or writes any more. */
  release(buffers: readonly Buffer[]): void {
    for (const buffer of buffers)
      if (buffer.byteLength === BUFFER_BYTES && this.#idle.length < MAX_IDLE) this.#idle.push(buffer);
  }
}

/** The buffers of this process. */
export const readBuffers = new ReadBuffers();
