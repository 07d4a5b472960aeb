import type { FileLocation } from '../../files/file-location';
import { locationWithin } from '../../files/location-text';

/**
 * The files in a batch's folder. `rows/` holds a file for each page, and `pages/` the journal of each page:
 * - `batch.json`: which batch owns the folder
 * - `plan.json`: the pages of the plan
 * - `rows/<page>.jsonl`: the rows to upload
 * - `pages/<page>/<round>-….jsonl`: the sessions and results of rows, never changed after they are written
 * - the results of the whole batch
 *
 * The types that one row passes through:
 * - `ManifestRow`: `readManifest` makes it, `planBatch` reads it
 * - `PlannedRow`: `planBatch` makes it and writes it to `rows/`, `readPage` reads it
 * - `PageRow`: `readPage` makes it, `loadPage`, `giveUpPage`, `writeResults` and the command line read it
 * - `LoadedRow`: `loadPage` makes it, the page's workflow uploads it
 * - `RowEnd`: `PageUploads` makes it, `PageRun` turns it into the entry for the page journal
 * - `ResultLine`: `writeJournal` or `giveUpPage` writes it to `pages/`, `readPage` reads it, `writeResults` joins them
 */
export function claimFile(folder: FileLocation): FileLocation {
  return locationWithin(folder, 'batch.json');
}

export function planFile(folder: FileLocation): FileLocation {
  return locationWithin(folder, 'plan.json');
}

export function rowsFile(folder: FileLocation, page: number): FileLocation {
  return locationWithin(folder, `rows/${padded(page)}.jsonl`);
}

/** Each page has a folder, so that reading one page lists only that page's files. */
export function journalFolder(folder: FileLocation, page: number): FileLocation {
  return locationWithin(folder, `pages/${padded(page)}`);
}

/** `writer`: the run that writes the file, so that a lost page and its successor never write to the same file. */
export function journalFile(
  folder: FileLocation,
  { page, round, writer, chunk }: { page: number; round: number; writer: string; chunk: number },
): FileLocation {
  return locationWithin(journalFolder(folder, page), `${padded(round)}-${writer}-${padded(chunk)}.jsonl`);
}

/** The files of the results. */
export function resultsFile(
  folder: FileLocation,
  name: 'results.jsonl' | 'results.csv' | 'failed.csv',
): FileLocation {
  return locationWithin(folder, name);
}

function padded(number: number): string {
  return String(number).padStart(6, '0');
}
