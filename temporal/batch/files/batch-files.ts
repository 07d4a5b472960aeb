import { locationText, locationWithin } from '../../../files/file-location';
import type { FileLocation } from '../../../files/file-location';
import { isJsonObject, parsedJson } from '../../../api/json';
import { MediaServiceError } from '../../../api/errors';
import { readFileAt, writeFileAt } from '../../../files/files';
import type { FileAccess } from '../../../files/output-path';
import { textLines } from '../../../files/append-file';

/**
 * The files in a batch's folder:
 * - `plan.json`: which batch owns the folder, and the pages of the plan
 * - `rows/<page>.jsonl`: the rows to upload, `PlannedRow`
 * - `pages/<page>/<segment>.jsonl`: the page journal, see `page-journal`
 * - `skipped.jsonl`: results of rows of the newest manifest that are wrong, and so in no page
 * - the results of the whole batch, `ResultLine`
 *
 * A row passes through three types: `readManifest` makes a `ManifestRow`, `planBatch` makes a `PlannedRow` of it, and
 * `uploadPage` uploads that and writes its `ResultLine`. A `PageRow` is the view of the last two.
 */
export function batchFile(
  folder: FileLocation,
  name: 'plan.json' | 'skipped.jsonl' | 'results.jsonl' | 'results.csv' | 'failed.csv',
): FileLocation {
  return locationWithin(folder, name);
}

export function rowsFile(folder: FileLocation, page: number): FileLocation {
  return locationWithin(folder, `rows/${padded(page)}.jsonl`);
}

/** Each page has a folder, so that reading one page lists only that page's files. */
export function journalFolder(folder: FileLocation, page: number): FileLocation {
  return locationWithin(folder, `pages/${padded(page)}`);
}

/** One attempt of an activity that writes a page journal. */
export interface JournalSegment {
  readonly page: number;
  readonly round: number;
  /** Counts the activities of the page's workflow that write the journal. */
  readonly turn: number;
  /** Temporal's attempt of the activity. */
  readonly attempt: number;
}

/** No two attempts write to the same file. The order of the names is the order in which they began. */
export function journalFile(folder: FileLocation, segment: JournalSegment, chunk: number): FileLocation {
  const { page, round, turn, attempt } = segment;
  const name = [round, turn, attempt, chunk].map(padded).join('-');
  return locationWithin(journalFolder(folder, page), `${name}.jsonl`);
}

function padded(number: number): string {
  return String(number).padStart(6, '0');
}

/**
 * The objects of a file of JSON lines. This package wrote their fields. Rejects as `readFileAt`, and with `Internal` if
 * a line is not an object. `mayBeCut`: a crash can cut the last line in two, which is then left out.
 */
export async function* readLines<Line extends object>(
  access: FileAccess,
  location: FileLocation,
  {
    signal,
    mayBeCut = false,
  }: { readonly signal?: AbortSignal | undefined; readonly mayBeCut?: boolean } = {},
): AsyncGenerator<Line> {
  let isCut = false;
  for await (const line of textLines(readFileAt(access, location, signal))) {
    const value = parsedJson(line);
    if (isCut || (!mayBeCut && !isJsonObject(value)))
      throw new MediaServiceError('Internal', `A line of ${locationText(location)} is not a JSON object.`, {
        hint: 'Only batches write to this folder. Restore the file, or start the rows as a new batch with another folder.',
      });
    if (isJsonObject(value)) yield value as object as Line;
    else isCut = true;
  }
}

/** Writes a whole file of JSON lines. Rejects as `writeFileAt`. */
export function writeLines(
  access: FileAccess,
  location: FileLocation,
  lines: readonly object[],
): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return writeFileAt(access, location, text);
}
