import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../api/canonical-json';
import { MediaServiceError } from '../../api/errors';
import { minPartGroups, PART_GROUP_BYTES } from '../../api/upload/parts/part-groups';
import { planParts } from '../../api/upload/parts/part-plan';
import { fileTypeOf } from '../../api/upload/request/file-type';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import type { Separator } from '../csv/separator';
import { readManifest, type ReadOptions } from '../read-manifest';
import { isMistake, type ManifestMistake, type ManifestRow, type ReadableCells } from '../row';
import { rowRequest, sourceFileName, sourceOf } from '../row-request';
import { batchCost, type BatchCost } from './batch-cost';
import { inOrder } from './in-order';
import { Repeats, type Repeat } from './repeats';
import { readShare, shareText, type RowShare } from './row-share';

/** Sorted by line as far as they fit into memory. */
const REPEATS_AT_ONCE = 10_000;

export interface Finding extends Omit<ManifestMistake, 'readable'> {
  /** A batch with mistakes is not started; warnings are for whoever reads them. */
  readonly severity: 'mistake' | 'warning';
}

/** What is no mistake, but may keep a worker from reading something. */
export interface Doubt extends Omit<ManifestMistake, 'line' | 'readable'> {
  /** Doubts of one kind are told together. */
  readonly kind?: string;
}

/** A path of a megabyte is a mistake, and no reason to print a megabyte. */
const MAX_MESSAGE = 1_000;
const MESSAGE_END = 200;

export interface CheckOptions extends ReadOptions {
  /** Where files for the search for duplicates may lie; they are removed. */
  readonly tempDir: string;
  /** Told of everything that is found; reading waits for it. */
  readonly onFinding: (finding: Finding) => Promise<void> | void;
  /** Rows without mistakes of their own so far, after each. */
  readonly onRow?: (rows: number) => void;
  /**
   * Bytes of a source; undefined where that is not to be known from here. A `MediaServiceError` is a mistake of the row. Unset: sources are not looked at.
   */
  readonly sizeOf?: (source: SourceDescriptor) => Promise<number | undefined>;
  /** Of a source that was looked at: told once, as a warning of the first row, with the number of rows. */
  readonly doubtOf?: (source: SourceDescriptor) => Promise<Doubt | undefined>;
  /** Of the manifest itself, told first. */
  readonly doubts?: readonly Doubt[];
  /** Sources looked at at once. Default 16. */
  readonly sizesAtOnce?: number;
  /** As in the options of uploads. */
  readonly partBytes?: number | undefined;
  readonly maxParts?: number | undefined;
}

export interface ManifestSummary extends BatchCost {
  /** Those that could be uploaded: without a mistake, and the first of their id. */
  readonly rows: number;
  readonly mistakes: number;
  readonly warnings: number;
  /** Rows whose source's size is known, and their bytes. */
  readonly sized: number;
  readonly bytes: number;
  /** Parts of all files; one for each file whose size is not known. */
  readonly parts: number;
  /** Rows by file type; `(by the worker)` where only the source's answer will tell. */
  readonly fileTypes: Readonly<Record<string, number>>;
  /** What stands between the cells of a CSV, as its first line tells; unset where that was told or the format has none. */
  readonly separator?: Separator;
}

/**
 * Reads a whole manifest and tells everything that would keep a batch of it from being started, and what it would cost. Memory does not
 * grow with the manifest: ids lie in files below `tempDir`. Mistakes come in the order of their lines, duplicates after them (in
 * that order as well, as far as they fit into memory), since they are known at the end. Of a row that is wrong, source
 * and id are looked at as well, as far as they can be read.
 */
export async function checkManifest(
  bytes: AsyncIterable<Uint8Array>,
  options: CheckOptions,
): Promise<ManifestSummary> {
  const folder = await mkdtemp(join(options.tempDir, 'manifest-'));
  try {
    const tally = new Tally(options);
    const repeats = new Repeats(folder);
    const onSeparator = (separator: Separator): void => tally.guessed(separator);
    const items = readManifest(bytes, { ...options, onSeparator });
    for (const doubt of options.doubts ?? []) await tally.warning({ line: 1, ...doubt });
    for await (const { item, size, error, doubt } of sizedRows(items, options)) {
      const { line } = item;
      const { id, source } = cellsOf(item);
      if (isMistake(item)) await tally.mistake(item);
      if (error !== undefined) await tally.mistake({ line, ...error });
      const share = isMistake(item) || error !== undefined ? undefined : shareOf(item, size, options);
      if (share !== undefined) tally.row(share);
      if (id !== undefined) await repeats.add(`i${id}`, line, share === undefined ? '' : shareText(share));
      if (source !== undefined && error === undefined) {
        await repeats.add(`s${sourceDigest(source, options)}`, line);
      }
      if (doubt !== undefined) tally.doubt(line, doubt);
    }
    await tally.tellDoubts();
    await tellRepeats(repeats, tally);
    return tally.summary();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function cellsOf(item: ManifestRow | ManifestMistake): ReadableCells {
  return isMistake(item) ? (item.readable ?? {}) : item;
}

interface SizedRow {
  readonly item: ManifestRow | ManifestMistake;
  readonly size?: SourceSize;
  readonly doubt?: Doubt;
  readonly error?: Omit<ManifestMistake, 'line'>;
}

interface SourceSize {
  readonly bytes: number;
  readonly parts: number;
}

async function* sizedRows(
  items: AsyncIterable<ManifestRow | ManifestMistake>,
  { sizeOf, doubtOf, sizesAtOnce = 16, place = {}, partBytes, maxParts }: CheckOptions,
): AsyncGenerator<SizedRow, void, undefined> {
  if (sizeOf === undefined) {
    for await (const item of items) yield { item };
    return;
  }
  yield* inOrder(items, sizesAtOnce, async (item) => {
    const { source: text } = cellsOf(item);
    if (text === undefined) return { item };
    try {
      const source = sourceOf(text, place);
      const bytes = await sizeOf(source);
      const doubt = await doubtOf?.(source);
      const doubted = doubt === undefined ? { item } : { item, doubt };
      if (bytes === undefined) return doubted;
      return { ...doubted, size: { bytes, parts: planParts({ bytes, partBytes, maxParts }).length } };
    } catch (error) {
      return { item, error: sourceMistake(error) };
    }
  });
}

function sourceMistake(error: unknown): Omit<ManifestMistake, 'line'> {
  if (!(error instanceof MediaServiceError)) throw error;
  const { hint } = error.facts;
  return { column: 'source', message: error.message, ...(hint === undefined ? {} : { hint }) };
}

function sourceDigest(source: string, { place = {} }: CheckOptions): string {
  return createHash('sha256')
    .update(canonicalJson(sourceOf(source, place)))
    .digest('hex');
}

/** What was found so far. */
class Tally {
  private rows = 0;
  private mistakes = 0;
  private warnings = 0;
  private sized = 0;
  private bytes = 0;
  private parts = 0;
  private largeFiles = 0;
  private partGroups = 0;
  private readonly fileTypes = new Map<string, number>();
  private separator: Separator | undefined;
  private readonly doubted = new Map<string, { readonly first: ManifestMistake; readonly rows: number }>();

  constructor(private readonly options: CheckOptions) {}

  guessed(separator: Separator): void {
    this.separator = separator;
  }

  async mistake({ readable: _readable, ...mistake }: ManifestMistake): Promise<void> {
    this.mistakes += 1;
    await this.options.onFinding({ ...mistake, message: shortened(mistake.message), severity: 'mistake' });
  }

  async warning(mistake: ManifestMistake): Promise<void> {
    this.warnings += 1;
    await this.options.onFinding({ ...mistake, severity: 'warning' });
  }

  doubt(line: number, { kind = '', ...doubt }: Doubt): void {
    const { first = { line, ...doubt }, rows = 0 } = this.doubted.get(kind) ?? {};
    this.doubted.set(kind, { first, rows: rows + 1 });
  }

  async tellDoubts(): Promise<void> {
    for (const { first, rows } of this.doubted.values()) {
      const others = rows === 1 ? '' : `; so it is with ${String(rows - 1)} more`;
      await this.warning({ ...first, message: shortened(first.message) + others });
    }
  }

  row(share: RowShare): void {
    this.count(share, 1);
    this.options.onRow?.(this.rows);
  }

  /** Takes back a row that turned out to be wrong. */
  noRow(share: RowShare): void {
    this.count(share, -1);
  }

  private count({ fileType, parts, bytes }: RowShare, sign: 1 | -1): void {
    this.rows += sign;
    this.parts += sign * parts;
    if (bytes !== undefined) {
      this.sized += sign;
      this.bytes += sign * bytes;
      if (bytes > PART_GROUP_BYTES) {
        this.largeFiles += sign;
        this.partGroups += sign * minPartGroups({ parts, bytes });
      }
    }
    const ofType = (this.fileTypes.get(fileType) ?? 0) + sign;
    if (ofType === 0) this.fileTypes.delete(fileType);
    else this.fileTypes.set(fileType, ofType);
  }

  summary(): ManifestSummary {
    const { rows, mistakes, warnings, sized, bytes, parts, separator } = this;
    const fileTypes = Object.fromEntries([...this.fileTypes].sort(([, a], [, b]) => b - a));
    const guessed = separator === undefined ? {} : { separator };
    return {
      ...{ rows, mistakes, warnings, sized, bytes, parts, fileTypes, ...guessed },
      ...batchCost({ rows, largeFiles: this.largeFiles, partGroups: this.partGroups }),
    };
  }
}

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE - MESSAGE_END)} … ${message.slice(-MESSAGE_END)}`;
}

function shareOf(row: ManifestRow, size: SourceSize | undefined, options: CheckOptions): RowShare {
  const fileType = fileTypeName(row, options);
  return { fileType, parts: size?.parts ?? 1, ...(size === undefined ? {} : { bytes: size.bytes }) };
}

function fileTypeName(row: ManifestRow, { place = {} }: CheckOptions): string {
  const { source, media } = rowRequest(row, place);
  try {
    return fileTypeOf({ fileType: media.fileType, fileName: sourceFileName(source) });
  } catch {
    return '(by the worker)';
  }
}

async function tellRepeats(repeats: Repeats, tally: Tally): Promise<void> {
  let some: Repeat[] = [];
  const tell = async (): Promise<void> => {
    for (const repeat of some.sort(byLine)) await tellRepeat(repeat, tally);
    some = [];
  };
  for await (const repeat of repeats.found()) {
    if (some.push(repeat) === REPEATS_AT_ONCE) await tell();
  }
  await tell();
}

/** Of one line the id first. */
function byLine(a: Repeat, b: Repeat): number {
  return a.line - b.line || (a.key < b.key ? -1 : 1);
}

async function tellRepeat({ key, line, firstLine, note }: Repeat, tally: Tally): Promise<void> {
  if (key.startsWith('s')) {
    await tally.warning({
      line,
      column: 'source',
      message: `the source is that of line ${String(firstLine)} as well, so that it is uploaded more than once`,
    });
    return;
  }
  const share = readShare(note);
  if (share !== undefined) tally.noRow(share);
  await tally.mistake({
    line,
    column: 'id',
    message: `the id ${key.slice(1)} is that of line ${String(firstLine)} as well`,
    hint: 'Give each row an id of its own. Rows without one that say the same are the same upload: remove all but one.',
  });
}
