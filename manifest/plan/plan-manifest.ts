import { relative, sep } from 'node:path';
import { locationText } from '../../files/file-location';
import type { LeftOut } from '../../files/disk-files';
import type { FileEntry } from '../../files/files';
import type { ManifestFormat } from '../format';
import { manifestWriter } from '../write-manifest';
import { UploadableFiles } from './uploadable-files';
import type { PlanSummary } from './uploadable-files';

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
  const files = new UploadableFiles(entries, options.minAgeMs);
  return { text: manifestText(files, options), summary: () => files.summary };
}

async function* manifestText(
  files: UploadableFiles,
  { format, relativeTo }: PlanOptions,
): AsyncGenerator<string, void, undefined> {
  const writer = manifestWriter(format, ['source', 'fileType']);
  // Without rows it yields not even a header: in a file that would look like a manifest.
  let before = writer.header;
  for await (const { entry, fileType } of files) {
    const { location } = entry;
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
