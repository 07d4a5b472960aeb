import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, given } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import { planParts } from '../../api/upload/plan-parts';
import { fileTypeOfName } from '../../api/upload/file-type';
import type { SourceDescriptor } from '../../api/upload/sources/source';
import { repeatedId } from '../mistakes';
import { readManifest } from '../read-manifest';
import type { ReadOptions } from '../read-manifest';
import { isMistake } from '../row';
import type { ManifestItem, ManifestMistake, ManifestRow } from '../row';
import { fileNameOfSource } from '../../api/upload/sources/source-rules';
import { sourceOf } from '../row-request';
import { mapInOrder } from '../../api/map-in-order';
import { Repeats } from './repeats';
import type { Repeat } from './repeats';

/** Sorted by line as far as they fit into memory. */
const REPEATS_AT_ONCE = 10_000;

export interface Finding extends Omit<ManifestMistake, 'readable'> {
  /** A batch with mistakes is not started. Warnings are only for readers. */
  readonly severity: 'mistake' | 'warning';
}

/** How many sources are checked at once. */
const SIZES_AT_ONCE = 16;

/** A path of a megabyte is a mistake, but must not print a megabyte. */
const MAX_MESSAGE = 1_000;
const MESSAGE_END = 200;

export interface CheckOptions extends ReadOptions {
  /** Folder for the temporary files of the search for duplicates. */
  readonly tempDir: string;
  /** Called with every finding; reading waits for it. */
  readonly onFinding: (finding: Finding) => Promise<void> | void;
  /** Bytes of a source, undefined if unknown. A `MediaServiceError` is a mistake of the row. Unset: no check. */
  readonly sizeOf?: (source: SourceDescriptor) => Promise<number | undefined>;
  /** As in the options of uploads. */
  readonly partBytes?: number | undefined;
  readonly maxParts?: number | undefined;
}

export interface ManifestSummary {
  /** Rows without a mistake of their own. */
  readonly rows: number;
  readonly mistakes: number;
  readonly warnings: number;
  /** Rows with a source of known size, and their bytes. */
  readonly sized: number;
  readonly bytes: number;
  /** Rows by file type; `(by the worker)` if only the source's answer will show it. */
  readonly fileTypes: Readonly<Record<string, number>>;
}

/**
 * Reads a whole manifest and reports everything that would prevent a batch from starting. Memory does not
 * grow with the manifest, because ids are in files below `tempDir`.
 *
 * Mistakes come in the order of their lines, one for each row. Duplicates are only known at the end, so they come last
 * (also in order, as far as they fit into memory).
 */
export async function checkManifest(
  text: AsyncIterable<Uint8Array>,
  options: CheckOptions,
): Promise<ManifestSummary> {
  const folder = await mkdtemp(join(options.tempDir, 'manifest-'));
  try {
    const findings = new CheckFindings(options);
    const repeats = new Repeats(folder);
    const items = readManifest(text, options);
    for await (const { item, error, ...found } of sizedRows(items, options)) {
      const { line } = item;
      const mistake = isMistake(item) ? item : error && { line, ...error };
      if (mistake !== undefined) await findings.mistake(mistake);
      if (isMistake(item)) continue;
      await repeats.add(`i${item.id}`, line);
      if (found.source === undefined) continue;
      findings.row(fileTypeName(item, found.source), found.bytes);
      await repeats.add(`s${sourceDigest(found.source)}`, line);
    }
    await reportRepeats(repeats, findings);
    return findings.summary();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface SizedRow {
  readonly item: ManifestItem;
  /** Unset for a mistake. */
  readonly source?: SourceDescriptor;
  readonly bytes?: number;
  readonly error?: Omit<ManifestMistake, 'line'>;
}

async function* sizedRows(
  items: AsyncIterable<ManifestItem>,
  { sizeOf, rowContext, partBytes, maxParts }: CheckOptions,
): AsyncGenerator<SizedRow, void, undefined> {
  yield* mapInOrder(items, SIZES_AT_ONCE, async (item) => {
    if (isMistake(item)) return { item };
    try {
      const source = sourceOf(item.source, rowContext);
      const bytes = await sizeOf?.(source);
      if (bytes === undefined) return { item, source };
      // Throws for an empty source and one that is too large.
      planParts({ bytes, partBytes, maxParts });
      return { item, source, bytes };
    } catch (error) {
      return { item, error: sourceMistake(error) };
    }
  });
}

function sourceMistake(error: unknown): Omit<ManifestMistake, 'line'> {
  if (!(error instanceof MediaServiceError)) throw error;
  const message = error.message.replace(/\.$/, '');
  return { column: 'source', message, ...given({ hint: error.facts.hint }) };
}

function sourceDigest(source: SourceDescriptor): string {
  return createHash('sha256').update(canonicalJson(source)).digest('hex');
}

/** The findings so far. */
class CheckFindings {
  private readonly counts = { rows: 0, mistakes: 0, warnings: 0, sized: 0, bytes: 0 };
  private readonly fileTypes = new Map<string, number>();

  constructor(private readonly options: CheckOptions) {}

  async mistake({ readable: _readable, ...mistake }: ManifestMistake): Promise<void> {
    this.counts.mistakes += 1;
    await this.options.onFinding({ ...mistake, message: shortened(mistake.message), severity: 'mistake' });
  }

  async warning(mistake: ManifestMistake): Promise<void> {
    this.counts.warnings += 1;
    await this.options.onFinding({ ...mistake, severity: 'warning' });
  }

  row(fileType: string, bytes: number | undefined): void {
    this.counts.rows += 1;
    this.fileTypes.set(fileType, (this.fileTypes.get(fileType) ?? 0) + 1);
    if (bytes !== undefined) {
      this.counts.sized += 1;
      this.counts.bytes += bytes;
    }
  }

  summary(): ManifestSummary {
    const fileTypes = Object.fromEntries([...this.fileTypes].sort(([, a], [, b]) => b - a));
    return { ...this.counts, fileTypes };
  }
}

function shortened(message: string): string {
  if (message.length <= MAX_MESSAGE) return message;
  return `${message.slice(0, MAX_MESSAGE - MESSAGE_END)} … ${message.slice(-MESSAGE_END)}`;
}

function fileTypeName({ media }: ManifestRow, source: SourceDescriptor): string {
  return media.fileType?.trim() || (fileTypeOfName(fileNameOfSource(source)) ?? '(by the worker)');
}

async function reportRepeats(repeats: Repeats, findings: CheckFindings): Promise<void> {
  const some: Repeat[] = [];
  const flush = async (): Promise<void> => {
    // For the same line, the id comes first.
    some.sort((a, b) => a.line - b.line || (a.key < b.key ? -1 : 1));
    for (const repeat of some.splice(0)) await reportRepeat(repeat, findings);
  };
  for await (const repeat of repeats.found()) {
    if (some.push(repeat) === REPEATS_AT_ONCE) await flush();
  }
  await flush();
}

async function reportRepeat({ key, line, firstLine }: Repeat, findings: CheckFindings): Promise<void> {
  if (key.startsWith('i')) return findings.mistake(repeatedId(key.slice(1), line, firstLine));
  const message = `the source is also that of line ${String(firstLine)}: it is uploaded more than once`;
  return findings.warning({ line, column: 'source', message });
}
