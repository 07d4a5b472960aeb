import { createReadStream } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { textLines } from '../../files/append-file';
import { systemCodeOf } from '../../files/system-error';

/** One file at a time is in memory: of a hundred million keys, about 30 MB. */
const BUCKETS = 512;
const BUFFER_BYTES = 4_000_000;

export interface Repeat {
  readonly key: string;
  readonly line: number;
  /** The line of the key's first occurrence. */
  readonly firstLine: number;
}

/**
 * Finds keys that were added before. Beyond `bufferBytes` in memory they go to files below `folder`, equal keys to the
 * same file, and each file is checked separately. Keys must not contain a line feed. The caller that created the folder
 * removes it.
 */
export class Repeats {
  private buckets = emptyBuckets();
  private buffered = 0;
  private spilled = false;

  constructor(
    private readonly folder: string,
    private readonly bufferBytes = BUFFER_BYTES,
  ) {}

  async add(key: string, line: number): Promise<void> {
    const entry = `${String(line)} ${key}`;
    this.buckets[crc32(key) % BUCKETS]?.push(entry);
    this.buffered += Buffer.byteLength(entry);
    if (this.buffered > this.bufferBytes) await this.spill();
  }

  /** Yields every repeated key, in the order of their lines within a bucket. */
  async *found(): AsyncGenerator<Repeat, void, undefined> {
    if (this.spilled) await this.spill();
    for (const [index, entries] of this.buckets.entries()) {
      yield* repeatsIn(this.spilled ? linesOf(this.fileOf(index)) : entries);
    }
  }

  private async spill(): Promise<void> {
    this.spilled = true;
    const { buckets } = this;
    this.buckets = emptyBuckets();
    this.buffered = 0;
    for (const [index, entries] of buckets.entries()) {
      if (entries.length === 0) continue;
      await appendFile(this.fileOf(index), `${entries.join('\n')}\n`, { mode: 0o600 });
    }
  }

  private fileOf(index: number): string {
    return join(this.folder, String(index));
  }
}

function emptyBuckets(): string[][] {
  return Array.from({ length: BUCKETS }, () => []);
}

/** A bucket without keys has no file. */
async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  try {
    yield* textLines(createReadStream(file));
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
  }
}

async function* repeatsIn(
  entries: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Repeat, void, undefined> {
  const first = new Map<string, number>();
  for await (const entry of entries) {
    const end = entry.indexOf(' ');
    const line = Number(entry.slice(0, end));
    const key = entry.slice(end + 1);
    const firstLine = first.get(key);
    if (firstLine === undefined) first.set(key, line);
    else yield { key, line, firstLine };
  }
}
