import { ValidationError } from '../errors';

/** Object storage refuses smaller parts (except the last one), although the interface says "5 MB". */
export const MIN_PART_BYTES = 5_242_880;
/** api.md, "Limits". */
export const MAX_PART_BYTES = 600_000_000;
/** api.md, "Limits": amountOfParts. */
export const MAX_PARTS = 120;

const MIB = 1024 * 1024;
/** The slowest line for whose parts limits of time are long enough. */
export const SLOWEST_BYTES_PER_SECOND = 16 * 1024;

/** api.md, "Chunk size guidance". Within each range, a multiple of the size of our read buffers. */
const GUIDANCE = [
  { belowBytes: 100_000_000, partBytes: 16 * MIB },
  { belowBytes: 1_000_000_001, partBytes: 32 * MIB },
  { belowBytes: Number.POSITIVE_INFINITY, partBytes: 64 * MIB },
] as const;

export interface Part {
  /** Counts from 1, without gaps. */
  readonly partNumber: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface PlanInput {
  /** Size of the file. */
  readonly bytes: number;
  /** Preferred part size, a positive number of bytes, clamped to the limits of the interface. Default: the interface's guidance. */
  readonly partBytes?: number | undefined;
  /** No part is larger unless the file needs it, bytes. Default: no such limit. */
  readonly partMemoryBytes?: number | undefined;
  /** 1 to 120. Default 120. */
  readonly maxParts?: number | undefined;
}

/**
 * Cuts a file into parts that the interface and object storage accept. There are 1 to `maxParts` parts, and together
 * they are exactly the file. Each part except the last has between `MIN_PART_BYTES` and `MAX_PART_BYTES`. Throws a
 * `ValidationError` for an empty file, or one that does not fit into `maxParts` parts. api.md, "Limits" and "Upload
 * flow".
 */
export function planParts({ bytes, partBytes, partMemoryBytes, maxParts = MAX_PARTS }: PlanInput): Part[] {
  checkSize(bytes, maxParts);
  const guided = GUIDANCE.find((row) => bytes < row.belowBytes)?.partBytes ?? MIN_PART_BYTES;
  const wanted = Math.min(partBytes ?? guided, partMemoryBytes ?? Infinity);
  const preferred = Math.max(MIN_PART_BYTES, Math.floor(wanted));
  const needed = Math.ceil(bytes / maxParts);
  // Rounded up, so that parts start where read buffers start.
  const roomy = needed <= preferred ? preferred : Math.ceil(needed / MIB) * MIB;
  return cutParts(bytes, Math.min(MAX_PART_BYTES, roomy));
}

/** Cuts a file into parts of `size` bytes. The last one may be smaller. */
export function cutParts(bytes: number, size: number): Part[] {
  return Array.from({ length: Math.ceil(bytes / size) }, (_, index) => ({
    partNumber: index + 1,
    offset: index * size,
    bytes: Math.min(size, bytes - index * size),
  }));
}

function checkSize(bytes: number, maxParts: number): void {
  if (!Number.isSafeInteger(bytes) || bytes < 0) {
    throw new ValidationError('source', 'the size of the source must be a whole number of bytes');
  }
  if (bytes === 0)
    throw new ValidationError(
      'source',
      'the source is empty: an upload needs at least one byte',
      'Check that the file was written completely.',
    );
  if (bytes > maxParts * MAX_PART_BYTES) {
    throw new ValidationError(
      'source',
      `the source has ${gigabytes(bytes)}, but ${maxParts} parts of at most ${gigabytes(MAX_PART_BYTES)} hold ${gigabytes(maxParts * MAX_PART_BYTES)}`,
      maxParts < MAX_PARTS
        ? `Now {maxParts} is ${maxParts}; the service allows up to ${MAX_PARTS}.`
        : 'Split or compress the file: the interface takes no larger one.',
    );
  }
}

/** Exact to the byte, because a file may be too large by one. */
function gigabytes(bytes: number): string {
  return `${bytes / 1e9} GB`;
}

/** Max bytes of the parts that travel through Temporal in one activity. A larger part travels by itself. */
const PART_RUN_BYTES = 64 * MIB;

/** Divides the parts of a file, in their order, into runs that travel together. Pure. */
export function partRuns<P extends Pick<Part, 'bytes'>>(parts: readonly P[]): P[][] {
  const runs: P[][] = [];
  let bytes = Infinity;
  for (const part of parts) {
    bytes += part.bytes;
    if (bytes > PART_RUN_BYTES) {
      runs.push([]);
      bytes = part.bytes;
    }
    runs.at(-1)?.push(part);
  }
  return runs;
}
