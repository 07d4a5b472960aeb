const FIRST_CAPACITY = 4096;

/** Bytes collected piece by piece. Appending copies them. `clear` keeps the memory for reuse. */
export class GrowingBytes {
  private bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  private used = 0;

  get length(): number {
    return this.used;
  }

  append(chunk: Uint8Array, from: number, to: number): void {
    const needed = this.used + to - from;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
      this.bytes.copy(larger, 0, 0, this.used);
      this.bytes = larger;
    }
    this.bytes.set(chunk.subarray(from, to), this.used);
    this.used = needed;
  }

  clear(): void {
    this.used = 0;
  }

  /** Returns the collected bytes; valid until the next `append`. */
  view(): Buffer {
    return this.bytes.subarray(0, this.used);
  }
}
