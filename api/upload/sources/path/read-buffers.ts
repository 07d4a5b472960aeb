/**
 * So large that a read costs little compared with the sending. Also, a socket has finished with a chunk when it
 * requests the next.
 */
export const BUFFER_BYTES = 1024 * 1024;
/**
 * A large allocation begins 16 bytes after a page of memory, and a file's data in the page cache at its page. A read
 * between such addresses takes 1.6 times as long (bench/part/bench-costs.mjs), so a buffer begins at a cache line.
 */
const PAST_ALIAS_BYTES = 48;
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
    if (bytes < BUFFER_BYTES) return newBuffer(bytes);
    return this.#idle.pop() ?? newBuffer(BUFFER_BYTES);
  }

  /** Takes back buffers that nobody reads or writes any more. */
  release(buffers: readonly Buffer[]): void {
    for (const buffer of buffers)
      if (buffer.byteLength === BUFFER_BYTES && this.#idle.length < MAX_IDLE) this.#idle.push(buffer);
  }
}

function newBuffer(bytes: number): Buffer {
  return Buffer.allocUnsafeSlow(PAST_ALIAS_BYTES + bytes).subarray(PAST_ALIAS_BYTES);
}

/** The buffers of this process. */
export const readBuffers = new ReadBuffers();
