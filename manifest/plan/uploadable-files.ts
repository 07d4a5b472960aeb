import { open } from 'node:fs/promises';
import { MediaServiceError } from '../../api/errors';
import { planParts } from '../../api/upload/parts/part-plan';
import { fileTypeOf } from '../../api/upload/request/file-type';
import type { LeftOut } from '../../files/disk-files';
import type { FileEntry } from '../../files/files';
import { systemCodeOf } from '../../files/system-error';

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

export const SKIP_REASONS = [
  'hidden',
  'systemFolder',
  'unsupported',
  'empty',
  'tooLarge',
  'tooYoung',
  'badName',
  'linkedOutside',
  'linkedFolder',
  'deadLink',
  'noRegularFile',
  'unreadable',
  'gone',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

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

export interface UploadableFile {
  readonly entry: FileEntry;
  readonly fileType: string;
}

/**
 * The files that can be uploaded, in their order. Can be iterated once. The summary grows with them, and counts and
 * names the others.
 */
export class UploadableFiles implements AsyncIterable<UploadableFile> {
  private files = 0;
  private bytes = 0;
  private readonly fileTypes = new Map<string, number>();
  private readonly skipped = Object.fromEntries(SKIP_REASONS.map((reason) => [reason, 0])) as Record<
    SkipReason,
    number
  >;
  private readonly skippedNames: Partial<Record<SkipReason, string[]>> = {};

  constructor(
    private readonly entries: AsyncIterable<FileEntry | LeftOut>,
    private readonly minAgeMs = 0,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<UploadableFile, void, undefined> {
    for await (const entry of this.entries) {
      const judged = await judge(entry, this.minAgeMs);
      if (typeof judged === 'string') this.skip(entry.name, judged);
      else {
        this.take(judged);
        yield judged;
      }
    }
  }

  get summary(): PlanSummary {
    const { files, bytes, skipped, skippedNames } = this;
    const fileTypes = Object.fromEntries([...this.fileTypes].sort(([, a], [, b]) => b - a));
    return { files, bytes, fileTypes, skipped: { ...skipped }, skippedNames: structuredClone(skippedNames) };
  }

  private take({ entry, fileType }: UploadableFile): void {
    this.files += 1;
    this.bytes += entry.bytes;
    this.fileTypes.set(fileType, (this.fileTypes.get(fileType) ?? 0) + 1);
  }

  private skip(name: string, reason: SkipReason): void {
    this.skipped[reason] += 1;
    const names = (this.skippedNames[reason] ??= []);
    if (names.length < NAMED) names.push(name);
  }
}

async function judge(entry: FileEntry | LeftOut, minAgeMs: number): Promise<SkipReason | UploadableFile> {
  const { name } = entry;
  const steps = name.split('/');
  if (steps.some((step) => step.startsWith('.'))) return 'hidden';
  if (steps.slice(0, -1).some((step) => SYSTEM_FOLDERS.has(step.toLowerCase()))) return 'systemFolder';
  if ('leftOut' in entry) return entry.leftOut;
  const fileType = fileTypeFrom(name);
  if (fileType === undefined) return 'unsupported';
  if (entry.bytes === 0) return 'empty';
  if (isTooLarge(entry.bytes)) return 'tooLarge';
  return (await whyNotNow(entry, minAgeMs)) ?? { entry, fileType };
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

/** Returns why an existing file can't be read yet; undefined if it can. Of an object in S3, it knows the time only. */
async function whyNotNow(
  { location, writtenAt = 0 }: FileEntry,
  minAgeMs: number,
): Promise<'unreadable' | 'gone' | 'tooYoung' | undefined> {
  const judged = (at: number): 'tooYoung' | undefined =>
    Date.now() - at < minAgeMs ? 'tooYoung' : undefined;
  if (location.kind === 's3') return judged(writtenAt);
  try {
    const file = await open(location.path);
    const { mtimeMs } = await file.stat().finally(() => file.close());
    return judged(mtimeMs);
  } catch (error) {
    return systemCodeOf(error) === 'ENOENT' ? 'gone' : 'unreadable';
  }
}
