import { TransportError } from '../../../../api/errors';
import { untilAborted } from '../../../../api/clock';
import { HEAD_BYTES } from '../../../../api/upload/file-type';
import type { SourceReader } from '../../../../api/upload/sources/source';
import type { PartInput } from '../../../../api/upload/types';
import { PartMemory } from './part-memory';
import type { PartLease } from './part-memory';

const MIB = 1024 * 1024;
/** For the parts of all uploads that this n8n process runs: four at once, and the one that is being read. */
export const PART_MEMORY_BYTES = 100 * MIB;
export const STREAMED_PART_BYTES = 20 * MIB;
const CHUNK_BYTES = MIB;

/** Made at the first use, because n8n's start must not load what nodes do. */
let memory: PartMemory | undefined;

/**
 * A file that can only be read from its beginning to its end. Each part is read into memory before it is sent, and is
 * sent again from there. Only a new session reads the file again.
 */
export class StreamedFile {
  readonly #parts = new Map<number, Uint8Array>();
  #stream: AsyncIterator<Uint8Array> | undefined;
  /** Read, but not part of a part yet. */
  #rest: Uint8Array = new Uint8Array();
  #position = 0;
  #reading: Promise<unknown> = Promise.resolve();
  #session = new AbortController();

  constructor(
    /** In errors. */
    private readonly label: string,
    private readonly open: () => Promise<AsyncIterable<Uint8Array>>,
    private readonly signal: AbortSignal = new AbortController().signal,
  ) {}

  /** Begins with the first part again. Returns what ends the reading. */
  beginSession(): () => void {
    const session = new AbortController();
    this.#session = session;
    return () => session.abort();
  }

  /** Sends a part that is in memory before its PUT begins. Call it for the parts in their order. */
  async inMemory<T>(part: PartInput<string>, send: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.any([this.signal, this.#session.signal]);
    const reading = this.#reading.then(() => this.#readPart(part, signal));
    // Whoever awaits the part gets the error.
    this.#reading = reading.catch(() => undefined);
    const { release } = await reading;
    try {
      return await send();
    } finally {
      this.#parts.delete(part.offset);
      release();
    }
  }

  /** Reads the parts that are in memory. */
  readonly reader: SourceReader = {
    read: (offset) => chunksOf(this.#parts.get(offset) ?? new Uint8Array()),
  };

  /** The first bytes. They stay part of the first part. */
  async head(): Promise<Uint8Array> {
    await this.#readAhead(HEAD_BYTES);
    return this.#rest.subarray(0, HEAD_BYTES);
  }

  /** The size of a file that has at most `maxBytes`. Undefined: it has more. */
  async sizeUpTo(maxBytes: number): Promise<number | undefined> {
    await this.#readAhead(maxBytes + 1);
    return this.#rest.byteLength > maxBytes ? undefined : this.#rest.byteLength;
  }

  /** Closes what is still open, without waiting for it. */
  close(): void {
    // Its upload has ended, whatever closing says.
    this.#stream?.return?.().catch(() => undefined);
    this.#stream = undefined;
  }

  async #readPart(part: PartInput<string>, signal: AbortSignal): Promise<PartLease> {
    memory ??= new PartMemory(PART_MEMORY_BYTES);
    const lease = await memory.take(part.bytes, signal);
    return this.#readInto(lease, part, signal).then(
      () => lease,
      (error: unknown) => {
        lease.release();
        // Of this stream, no further part can be read.
        this.#position = -1;
        throw error;
      },
    );
  }

  async #readInto(
    lease: PartLease,
    { offset, bytes, source }: PartInput<string>,
    signal: AbortSignal,
  ): Promise<void> {
    if (offset === 0 && this.#position !== 0) this.#begin();
    if (offset !== this.#position) throw this.#failure('was not read up to this part');
    this.#parts.set(offset, await this.#take(bytes, lease, signal));
    this.#position += bytes;
    const isLast = this.#position === source.bytes;
    if (isLast && (this.#rest.byteLength > 0 || (await this.#next(signal)) !== undefined))
      throw this.#failure(`gave more than ${source.bytes} bytes`);
  }

  #begin(): void {
    this.close();
    this.#rest = new Uint8Array();
    this.#position = 0;
  }

  /** A chunk with the whole part is used as it is: a database returns the whole file as one. */
  async #take(bytes: number, lease: PartLease, signal: AbortSignal): Promise<Uint8Array> {
    if (this.#rest.byteLength === 0) this.#rest = (await this.#next(signal)) ?? this.#rest;
    if (this.#rest.byteLength >= bytes) return this.#cut(bytes);
    const part = lease.buffer();
    let filled = 0;
    while (filled < bytes) {
      const piece = this.#cut(bytes - filled);
      part.set(piece, filled);
      filled += piece.byteLength;
      if (filled === bytes) break;
      const next = await this.#next(signal);
      if (next === undefined) throw this.#failure(`ended after ${this.#position + filled} bytes`);
      this.#rest = next;
    }
    return part;
  }

  #cut(maxBytes: number): Uint8Array {
    const piece = this.#rest.subarray(0, maxBytes);
    this.#rest = this.#rest.subarray(piece.byteLength);
    return piece;
  }

  async #readAhead(bytes: number): Promise<void> {
    const pieces = [this.#rest];
    for (let read = this.#rest.byteLength; read < bytes;) {
      const next = await this.#next(this.signal);
      if (next === undefined) break;
      pieces.push(next);
      read += next.byteLength;
    }
    const held = pieces.filter(({ byteLength }) => byteLength > 0);
    this.#rest = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
  }

  /** The next chunk that has a byte. Undefined: the stream has ended. */
  async #next(signal: AbortSignal): Promise<Uint8Array | undefined> {
    this.#stream ??= (await this.open())[Symbol.asyncIterator]();
    for (;;) {
      const step = await untilAborted(this.#stream.next(), signal);
      if (step.done === true) return undefined;
      if (step.value.byteLength > 0) return step.value;
    }
  }

  #failure(what: string): TransportError {
    return new TransportError(`${this.label} ${what}`, { operation: 'source', outcome: 'ambiguous' });
  }
}

async function* chunksOf(part: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < part.byteLength; at += CHUNK_BYTES) yield part.subarray(at, at + CHUNK_BYTES);
}
