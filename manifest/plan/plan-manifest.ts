import { basename, dirname, extname, relative, sep } from 'node:path';
import { locationText } from '../../files/location-text';
import type { LeftOut } from '../../files/disk-files';
import type { FileEntry } from '../../files/files';
import { mapInOrder } from '../../api/map-in-order';
import { TAG_PREFIX } from '../columns';
import type { ManifestFormat } from '../format';
import { manifestWriter, type WritableRow } from '../write-manifest';
import type { DurationReader } from './media-duration';
import { UploadableFiles, type PlanSummary, type UploadableFile } from './uploadable-files';

const DURATIONS_AT_ONCE = 8;

export interface PlanOptions {
  readonly format: ManifestFormat;
  /** Paths are written relative to it. Unset: whole paths. */
  readonly relativeTo?: string;
  /** Use the file's name without its extension as title. */
  readonly titles?: boolean;
  /** Tags whose values are the names of the folders above a file, the outermost first. */
  readonly folderTags?: readonly string[];
  readonly durationOf?: DurationReader;
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
  const files = new UploadableFiles(entries, options.minAgeMs);
  return { text: manifestText(files, options), summary: () => files.summary };
}

async function* manifestText(
  files: UploadableFiles,
  options: PlanOptions,
): AsyncGenerator<string, void, undefined> {
  const writer = manifestWriter(options.format, columnsOf(options));
  // Without rows it yields not even a header: in a file that would look like a manifest.
  let before = writer.header;
  for await (const row of mapInOrder(files, DURATIONS_AT_ONCE, (file) => rowOf(file, options))) {
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

async function rowOf({ entry, fileType }: UploadableFile, options: PlanOptions): Promise<WritableRow> {
  const { location, name, bytes } = entry;
  const { relativeTo, titles, folderTags = [], durationOf } = options;
  const duration = await durationOf?.(location, bytes, fileType);
  const folders = dirname(name) === '.' ? [] : dirname(name).split('/');
  const tags = new Map<string, string>();
  folderTags.forEach((tag, index) => {
    const folder = folders[index];
    if (folder !== undefined) tags.set(tag, folder);
  });
  const source =
    location.kind === 'path' && relativeTo !== undefined
      ? relative(relativeTo, location.path).split(sep).join('/')
      : locationText(location);
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
