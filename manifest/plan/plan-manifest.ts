import { basename, dirname, extname, relative, sep } from 'node:path';
import { MediaServiceError } from '../../api/errors';
import { planParts } from '../../api/upload/parts/part-plan';
import { fileTypeOf } from '../../api/upload/request/file-type';
import { placeText } from '../../places/place-text';
import type { LeftOut } from '../../places/path-place';
import type { PlaceEntry } from '../../places/places';
import { inOrder } from '../check/in-order';
import { TAG_PREFIX } from '../columns';
import type { ManifestFormat } from '../format';
import { manifestWriter, type WritableRow } from '../write-manifest';
import type { DurationReader } from './media-duration';
import { whyUnreadable } from './why-unreadable';

const DURATIONS_AT_ONCE = 8;
/** Skipped files that are named, of each reason. */
const NAMED = 10;

export interface PlanOptions {
  readonly format: ManifestFormat;
  /** Paths are written relative to it. Unset: in full. */
  readonly relativeTo?: string;
  /** Title = the file's name without its extension. */
  readonly titles?: boolean;
  /** Names of tags that the folders on the way to a file give, the outermost first. */
  readonly folderTags?: readonly string[];
  readonly durationOf?: DurationReader;
}

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

/**
 * A manifest of these files in their order, piece by piece, none where there is no file; the returned summary grows with them. Files that cannot be uploaded are left out and counted.
 */
export function planManifest(
  entries: AsyncIterable<PlaceEntry | LeftOut>,
  options: PlanOptions,
): { readonly text: AsyncGenerator<string, void, undefined>; readonly summary: () => PlanSummary } {
  const tally = new PlanTally();
  return { text: manifestText(entries, options, tally), summary: () => tally.summary() };
}

async function* manifestText(
  entries: AsyncIterable<PlaceEntry | LeftOut>,
  options: PlanOptions,
  tally: PlanTally,
): AsyncGenerator<string, void, undefined> {
  const writer = manifestWriter(options.format, columnsOf(options));
  const files = uploadable(entries, tally);
  // Of nothing not even a header: whoever writes to a file would take it for a manifest.
  let before = writer.header;
  for await (const row of inOrder(files, DURATIONS_AT_ONCE, (file) => rowOf(file, options))) {
    yield before + writer.line(row);
    before = '';
  }
}

function columnsOf({ titles, durationOf, folderTags = [] }: PlanOptions): string[] {
  return [
    'source',
    ...(titles === true ? ['title'] : []),
    'fileType',
    ...(durationOf === undefined ? [] : ['duration']),
    ...folderTags.map((tag) => TAG_PREFIX + tag),
  ];
}

interface UploadableFile {
  readonly entry: PlaceEntry;
  readonly fileType: string;
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

async function rowOf({ entry, fileType }: UploadableFile, options: PlanOptions): Promise<WritableRow> {
  const { place, name, bytes } = entry;
  const { relativeTo, titles, folderTags = [], durationOf } = options;
  const duration = await durationOf?.(place, bytes, fileType);
  const folders = dirname(name) === '.' ? [] : dirname(name).split('/');
  const tags = new Map<string, string>();
  folderTags.forEach((tag, index) => {
    const folder = folders[index];
    if (folder !== undefined) tags.set(tag, folder);
  });
  const source =
    place.kind === 'path' && relativeTo !== undefined
      ? relative(relativeTo, place.path).split(sep).join('/')
      : placeText(place);
  return {
    source,
    media: {
      ...(titles === true ? { title: basename(name, extname(name)) } : {}),
      fileType,
      ...(duration === undefined ? {} : { duration }),
      ...(tags.size === 0 ? {} : { tags: Object.fromEntries(tags) }),
    },
  };
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
