/** Headers are close together, so one request serves many small reads. */
const READ_AHEAD = 256 * 1024;

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A file of known size as a `Blob`. It reads only the bytes of requested slices. */
export class RangedBlob extends Blob {
  override readonly size: number;
  private ahead: { readonly offset: number; readonly piece: Buffer } = { offset: 0, piece: Buffer.alloc(0) };

  constructor(
    size: number,
    private readonly read: (range: ByteRange) => AsyncIterable<Uint8Array>,
  ) {
    super([]);
    this.size = size;
  }

  override slice(start = 0, end = this.size): Blob {
    const range = { offset: start, length: Math.max(0, Math.min(end, this.size) - start) };
    return new BlobSlice(range.length, () => this.take(range));
  }

  private async take({ offset, length }: ByteRange): Promise<Buffer> {
    const from = offset - this.ahead.offset;
    if (from < 0 || from + length > this.ahead.piece.length) {
      const wanted = Math.min(Math.max(length, READ_AHEAD), this.size - offset);
      const pieces: Uint8Array[] = [];
      for await (const piece of this.read({ offset, length: wanted })) pieces.push(Uint8Array.from(piece));
      this.ahead = { offset, piece: Buffer.concat(pieces) };
    }
    const start = offset - this.ahead.offset;
    return this.ahead.piece.subarray(start, start + length);
  }
}

class BlobSlice extends Blob {
  override readonly size: number;

  constructor(
    size: number,
    private readonly take: () => Promise<Buffer>,
  ) {
    super([]);
    this.size = size;
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return Uint8Array.from(await this.take()).buffer;
  }
}
