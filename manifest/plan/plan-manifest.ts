import { relative, sep } from 'node:path';
import { locationText } from '../../files/file-location';
import type { LeftOut } from '../../files/disk-files';
import type { FileEntry } from '../../files/files';
import type { ManifestFormat } from '../format';
import { manifestWriter } from '../write-manifest';
import { open } from 'node:fs/promises';
import { MAX_PART_BYTES, MAX_PARTS } from '../../api/upload/plan-parts';
import { fileTypeOfName } from '../../api/upload/file-type';

export interface PlanOptions {
  readonly format: ManifestFormat;
  /** Paths are written relative to it. */
  readonly relativeTo: string;
  /** Leave out files on disks that were written to within this time, ms. */
  readonly minAgeMs?: number;
}

/**
 * Yields a manifest of these files in their order, piece by piece; nothing if there is no file. The returned summary
 * grows with them. Files that can't be uploaded are left out and counted.
 */
export function planManifest(
  entries: AsyncIterable<FileEntry | LeftOut>,
  options: PlanOptions,
): { readonly text: AsyncGenerator<string, void, undefined>; readonly summary: () => PlanSummary } {
  const counts = new PlanCounts();
  return { text: manifestText(entries, options, counts), summary: () => counts.summary };
}

async function* manifestText(
  entries: AsyncIterable<FileEntry | LeftOut>,
  { format, relativeTo, minAgeMs = 0 }: PlanOptions,
  counts: PlanCounts,
): AsyncGenerator<string, void, undefined> {
  const writer = manifestWriter(format, ['source', 'fileType']);
  // Without rows it yields not even a header: in a file that would look like a manifest.
  let before = writer.header;
  for await (const one of entries) {
    const judged = await judge(one, minAgeMs);
    if (typeof judged === 'string') {
      counts.skip(one.name, judged);
      continue;
    }
    const { entry, fileType } = judged;
    const { location, bytes } = entry;
    counts.take(bytes, fileType);
    const source =
      location.kind === 'path' ? plainPath(relative(relativeTo, location.path)) : locationText(location);
    yield before + writer.line({ source, media: { fileType } });
    before = '';
  }
}

/** A spreadsheet takes a cell that begins with one of these for a formula. */
function plainPath(path: string): string {
  const text = path.split(sep).join('/');
  return /^[=+\-@]/.test(text) ? `./${text}` : text;
}

/** How many skipped files are named for each reason. */
const NAMED = 10;

export interface PlanSummary {
  readonly files: number;
  readonly bytes: number;
  readonly fileTypes: Readonly<Record<string, number>>;
  /** Number of skipped files, by reason. */
  readonly skipped: Readonly<Record<SkipReason, number>>;
  /** The first skipped files, by reason; a folder's name ends in a slash. */
  readonly skippedNames: Readonly<Partial<Record<SkipReason, readonly string[]>>>;
}

/** Why a file is skipped: the text follows its number. */
export const SKIP_REASONS = {
  hidden: 'hidden',
  systemFolder: 'in folders of the system or the network storage',
  unsupported: 'of a type the service does not take',
  empty: 'empty',
  tooLarge: 'too large',
  tooYoung: 'too young: they may still grow',
  badName: 'to rename, because the name is not UTF-8',
  linkedOutside: 'linked to outside the allowed folders',
  linkedFolder: 'linked to a folder, which is not entered',
  noRegularFile: 'not a regular file',
  unreadable: "that can't be read",
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;
const REASONS = Object.keys(SKIP_REASONS) as SkipReason[];

/** Thumbnails and deleted files, which network storage and systems keep beside the files of people. In lower case. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  '@eadir',
  '@recycle',
  '@recently-snapshot',
  '#recycle',
  '#snapshot',
  '$recycle.bin',
  'system volume information',
  'lost+found',
  '__macosx',
]);

class PlanCounts {
  private readonly counts = { files: 0, bytes: 0 };
  private readonly fileTypes = new Map<string, number>();
  private readonly left = new Map<SkipReason, { count: number; readonly names: string[] }>();

  get summary(): PlanSummary {
    const fileTypes = Object.fromEntries([...this.fileTypes].sort(([, a], [, b]) => b - a));
    const skipped = Object.fromEntries(REASONS.map((reason) => [reason, this.left.get(reason)?.count ?? 0]));
    const skippedNames = Object.fromEntries(
      [...this.left].map(([reason, { names }]) => [reason, [...names]]),
    );
    return { ...this.counts, fileTypes, skipped: skipped as PlanSummary['skipped'], skippedNames };
  }

  take(bytes: number, fileType: string): void {
    this.counts.files += 1;
    this.counts.bytes += bytes;
    this.fileTypes.set(fileType, (this.fileTypes.get(fileType) ?? 0) + 1);
  }

  skip(name: string, reason: SkipReason): void {
    const left = this.left.get(reason) ?? { count: 0, names: [] };
    left.count += 1;
    if (left.names.length < NAMED) left.names.push(name);
    this.left.set(reason, left);
  }
}

async function judge(
  entry: FileEntry | LeftOut,
  minAgeMs: number,
): Promise<SkipReason | { readonly entry: FileEntry; readonly fileType: string }> {
  const { name } = entry;
  const steps = name.split('/');
  if (steps.some((step) => step.startsWith('.'))) return 'hidden';
  if (steps.slice(0, -1).some((step) => SYSTEM_FOLDERS.has(step.toLowerCase()))) return 'systemFolder';
  if ('leftOut' in entry) return entry.leftOut;
  const fileType = fileTypeOfName(name);
  if (fileType === undefined) return 'unsupported';
  if (entry.bytes === 0) return 'empty';
  if (entry.bytes > MAX_PARTS * MAX_PART_BYTES) return 'tooLarge';
  return (await whyNotNow(entry, minAgeMs)) ?? { entry, fileType };
}

/** Returns why a file or object can't be read yet; undefined if it can. Only files are opened. */
async function whyNotNow(
  { location, writtenAt }: FileEntry,
  minAgeMs: number,
): Promise<'unreadable' | 'tooYoung' | undefined> {
  if (location.kind === 'path') {
    // Undefined: it can't be read, for whatever reason.
    const opened = await open(location.path).catch(() => undefined);
    if (opened === undefined) return 'unreadable';
    await opened.close();
  }
  return Date.now() - writtenAt < minAgeMs ? 'tooYoung' : undefined;
}
