import { MediaServiceError } from '../../api/errors';
import { planParts } from '../../api/upload/parts/part-plan';
import { fileTypeOf } from '../../api/upload/request/file-type';
import type { LeftOut } from '../../places/path-place';
import type { PlaceEntry } from '../../places/places';
import { whyUnreadable } from './why-unreadable';

/** Skipped files that are named, of each reason. */
const NAMED = 10;

export interface PlanSummary {
  readonly files: number;
  readonly bytes: number;
  readonly fileTypes: Readonly<Record<string, number>>;
  /** Files that were left out, by reason. */
  readonly skipped: Readonly<Record<SkipReason, number>>;
  /** The first of those that were left out, by reason; a folder's name ends in a slash. */
  readonly skippedNames: Readonly<Partial<Record<SkipReason, readonly string[]>>>;
}

export const SKIP_REASONS = [
  'hidden',
  'unsupported',
  'empty',
  'tooLarge',
  'badName',
  'linkedOutside',
  'linkedFolder',
  'deadLink',
  'noRegularFile',
  'unreadable',
  'gone',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

export interface UploadableFile {
  readonly entry: PlaceEntry;
  readonly fileType: string;
}

export interface UploadableFiles {
  readonly files: AsyncGenerator<UploadableFile, void, undefined>;
  readonly summary: () => PlanSummary;
}

/** The files that can be uploaded, in their order. The summary grows with them, and counts and names the others. */
export function uploadableFiles(entries: AsyncIterable<PlaceEntry | LeftOut>): UploadableFiles {
  const tally = new PlanTally();
  return { files: uploadable(entries, tally), summary: () => tally.summary() };
}

async function* uploadable(
  entries: AsyncIterable<PlaceEntry | LeftOut>,
  tally: PlanTally,
): AsyncGenerator<UploadableFile, void, undefined> {
  for await (const entry of entries) {
    const judged = await judge(entry);
    if (typeof judged === 'string') tally.skip(entry.name, judged);
    else {
      tally.take(judged);
      yield judged;
    }
  }
}

async function judge(entry: PlaceEntry | LeftOut): Promise<SkipReason | UploadableFile> {
  const { name } = entry;
  if (name.split('/').some((step) => step.startsWith('.'))) return 'hidden';
  if ('leftOut' in entry) return entry.leftOut;
  const fileType = fileTypeFrom(name);
  if (fileType === undefined) return 'unsupported';
  if (entry.bytes === 0) return 'empty';
  if (isTooLarge(entry.bytes)) return 'tooLarge';
  return (await whyUnreadable(entry.place)) ?? { entry, fileType };
}

function fileTypeFrom(fileName: string): string | undefined {
  try {
    return fileTypeOf({ fileName });
  } catch {
    return undefined;
  }
}

function isTooLarge(bytes: number): boolean {
  try {
    planParts({ bytes });
    return false;
  } catch (error) {
    if (error instanceof MediaServiceError) return true;
    throw error;
  }
}

class PlanTally {
  private files = 0;
  private bytes = 0;
  private readonly fileTypes = new Map<string, number>();
  private readonly skipped: Record<SkipReason, number> = {
    hidden: 0,
    unsupported: 0,
    empty: 0,
    tooLarge: 0,
    badName: 0,
    linkedOutside: 0,
    linkedFolder: 0,
    deadLink: 0,
    noRegularFile: 0,
    unreadable: 0,
    gone: 0,
  };
  private readonly skippedNames: Partial<Record<SkipReason, string[]>> = {};

  take({ entry, fileType }: UploadableFile): void {
    this.files += 1;
    this.bytes += entry.bytes;
    this.fileTypes.set(fileType, (this.fileTypes.get(fileType) ?? 0) + 1);
  }

  skip(name: string, reason: SkipReason): void {
    this.skipped[reason] += 1;
    const names = (this.skippedNames[reason] ??= []);
    if (names.length < NAMED) names.push(name);
  }

  summary(): PlanSummary {
    const { files, bytes, skipped, skippedNames } = this;
    const fileTypes = Object.fromEntries([...this.fileTypes].sort(([, a], [, b]) => b - a));
    return { files, bytes, fileTypes, skipped: { ...skipped }, skippedNames: structuredClone(skippedNames) };
  }
}
