import { createReadStream } from 'node:fs';
import { appendFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { textLines } from '../../files/append-file';

const BUCKETS = 64;
/** Three levels separate 64³ times as many keys as fit into one bucket. */
const DEEPEST = 2;

export interface RepeatLimits {
  /** Bytes of keys in memory before they go to files. Default 4 MB. */
  readonly bufferBytes?: number;
  /** Bytes of a file whose keys are in memory at once. Default 8 MB. */
  readonly bucketBytes?: number;
}

export interface Repeat {
  readonly key: string;
  readonly line: number;
  /** The line of the key's first occurrence. */
  readonly firstLine: number;
  /** The note that was added with the key this time. */
  readonly note: string;
}

/**
 * Finds keys that were added before. Memory does not grow with their number: beyond `bufferBytes` they go to files
 * below `folder`, equal keys to the same file, and each file is checked separately. Keys must not contain a line feed;
 * notes must contain neither that nor a space. The caller that created the folder removes it.
 */
export class Repeats {
  private buckets = emptyBuckets();
  private buffered = 0;
  private spilled = false;
  private maxHeld = 0;
  private readonly bufferBytes: number;
  private readonly bucketBytes: number;

  constructor(
    private readonly folder: string,
    private readonly limits: RepeatLimits = {},
    private readonly depth = 0,
  ) {
    this.bufferBytes = limits.bufferBytes ?? 4_000_000;
    this.bucketBytes = limits.bucketBytes ?? 8_000_000;
  }

  /** Max bytes of keys that were in memory at once. */
  get highWaterBytes(): number {
    return this.maxHeld;
  }

  async add(key: string, line: number, note = ''): Promise<void> {
    const entry = `${String(line)} ${note} ${key}`;
    this.buckets[bucketOf(key, this.depth)]?.push(entry);
    this.buffered += Buffer.byteLength(entry);
    this.held(this.buffered);
    if (this.buffered > this.bufferBytes) await this.spill();
  }

  /** Yields every repeated key, in the order of their lines within a bucket. */
  async *found(): AsyncGenerator<Repeat, void, undefined> {
    if (!this.spilled) {
      for (const bucket of this.buckets) yield* repeatsIn(bucket);
      return;
    }
    await this.spill();
    for (let index = 0; index < BUCKETS; index += 1) yield* this.foundInFile(this.fileOf(index));
  }

  private async *foundInFile(file: string): AsyncGenerator<Repeat, void, undefined> {
    const size = await stat(file).then(
      (facts) => facts.size,
      () => 0,
    );
    if (size === 0) return;
    if (size <= this.bucketBytes || this.depth === DEEPEST) {
      this.held(Math.min(size, this.bucketBytes));
      yield* repeatsIn(textLines(createReadStream(file)));
      return;
    }
    const folder = `${file}.parted`;
    await mkdir(folder, { mode: 0o700 });
    const finer = new Repeats(folder, this.limits, this.depth + 1);
    for await (const entry of textLines(createReadStream(file))) {
      const { key, line, note } = readEntry(entry);
      await finer.add(key, line, note);
    }
    yield* finer.found();
    this.held(finer.highWaterBytes);
  }

  private async spill(): Promise<void> {
    this.spilled = true;
    const { buckets } = this;
    this.buckets = emptyBuckets();
    this.buffered = 0;
    for (const [index, entries] of buckets.entries()) {
      if (entries.length > 0)
        await appendFile(this.fileOf(index), `${entries.join('\n')}\n`, { mode: 0o600 });
    }
  }

  private fileOf(index: number): string {
    return join(this.folder, String(index));
  }

  private held(bytes: number): void {
    this.maxHeld = Math.max(this.maxHeld, bytes);
  }
}

function emptyBuckets(): string[][] {
  return Array.from({ length: BUCKETS }, () => []);
}

/** FNV-1a with a different start at each depth, so that the keys of one bucket separate at the next depth. */
function bucketOf(key: string, depth: number): number {
  let hash = 0x811c9dc5 ^ (depth * 0x9e3779b1);
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % BUCKETS;
}

async function* repeatsIn(
  entries: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<Repeat, void, undefined> {
  const first = new Map<string, number>();
  for await (const entry of entries) {
    const { key, line, note } = readEntry(entry);
    const firstLine = first.get(key);
    if (firstLine === undefined) first.set(key, line);
    else yield { key, line, firstLine, note };
  }
}

function readEntry(entry: string): Omit<Repeat, 'firstLine'> {
  const line = entry.indexOf(' ');
  const note = entry.indexOf(' ', line + 1);
  return {
    line: Number(entry.slice(0, line)),
    note: entry.slice(line + 1, note),
    key: entry.slice(note + 1),
  };
}
