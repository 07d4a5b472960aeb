/** Headers lie together: one request serves many small reads. */
const READ_AHEAD = 256 * 1024;

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A file of known size whose bytes are read only where somebody looks at them, as a `Blob`. */
export class RangedBlob extends Blob {
  private ahead: { readonly offset: number; readonly bytes: Buffer } = { offset: 0, bytes: Buffer.alloc(0) };

  constructor(
    private readonly bytes: number,
    private readonly read: (range: ByteRange) => AsyncIterable<Uint8Array>,
  ) {
    super();
  }

  override get size(): number {
    return this.bytes;
  }

  /** Its `arrayBuffer` reads the range. */
  override slice(start = 0, end = this.bytes): Blob {
    const range = { offset: start, length: Math.max(0, Math.min(end, this.bytes) - start) };
    return new BlobSlice(range.length, () => this.take(range));
  }

  private async take({ offset, length }: ByteRange): Promise<Buffer> {
    const from = offset - this.ahead.offset;
    if (from < 0 || from + length > this.ahead.bytes.length) {
      const wanted = Math.min(Math.max(length, READ_AHEAD), this.bytes - offset);
      const pieces: Uint8Array[] = [];
      for await (const piece of this.read({ offset, length: wanted })) pieces.push(Uint8Array.from(piece));
      this.ahead = { offset, bytes: Buffer.concat(pieces) };
    }
    const start = offset - this.ahead.offset;
    return this.ahead.bytes.subarray(start, start + length);
  }
}

class BlobSlice extends Blob {
  constructor(
    private readonly bytes: number,
    private readonly take: () => Promise<Buffer>,
  ) {
    super();
  }

  override get size(): number {
    return this.bytes;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return Uint8Array.from(await this.take()).buffer;
  }
}
