import { basename, dirname, extname, relative, sep } from 'node:path';
import { placeText } from '../../places/place-text';
import type { LeftOut } from '../../places/path-place';
import type { PlaceEntry } from '../../places/places';
import { inOrder } from '../check/in-order';
import { TAG_PREFIX } from '../columns';
import type { ManifestFormat } from '../format';
import { manifestWriter, type WritableRow } from '../write-manifest';
import type { DurationReader } from './media-duration';
import {
  uploadableFiles,
  type PlanSummary,
  type UploadableFile,
  type UploadableFiles,
} from './uploadable-files';

const DURATIONS_AT_ONCE = 8;

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

/**
 * A manifest of these files in their order, piece by piece, none where there is no file; the returned summary grows with them. Files that cannot be uploaded are left out and counted.
 */
export function planManifest(
  entries: AsyncIterable<PlaceEntry | LeftOut>,
  options: PlanOptions,
): { readonly text: AsyncGenerator<string, void, undefined>; readonly summary: () => PlanSummary } {
  const { files, summary } = uploadableFiles(entries);
  return { text: manifestText(files, options), summary };
}

async function* manifestText(
  files: UploadableFiles['files'],
  options: PlanOptions,
): AsyncGenerator<string, void, undefined> {
  const writer = manifestWriter(options.format, columnsOf(options));
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
