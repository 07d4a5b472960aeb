import type { Place } from '../../../../places/place';
import { placeWithin } from '../../../../places/place-text';

/**
 * The files of a batch in its folder: `batch.json` (whose folder it is), `plan.json`, `rows/<page>.jsonl` (the rows to upload),
 * `pages/<page>/<round>-….jsonl` (what became of them; never changed once written), and the account.
 */
export function claimFile(folder: Place): Place {
  return placeWithin(folder, 'batch.json');
}

export function planFile(folder: Place): Place {
  return placeWithin(folder, 'plan.json');
}

export function rowsFile(folder: Place, page: number): Place {
  return placeWithin(folder, `rows/${padded(page)}.jsonl`);
}

/** A folder for each page, so that reading one page lists one page. */
export function journalFolder(folder: Place, page: number): Place {
  return placeWithin(folder, `pages/${padded(page)}`);
}

/** `writer`: the run that writes it, so that a lost page's last words and those of its successor never meet in one file. */
export function journalFile(
  folder: Place,
  { page, round, writer, chunk }: { page: number; round: number; writer: string; chunk: number },
): Place {
  return placeWithin(journalFolder(folder, page), `${padded(round)}-${writer}-${padded(chunk)}.jsonl`);
}

/** The account's files, as their names say. */
export function accountFile(folder: Place, name: 'account.jsonl' | 'account.csv' | 'failed.csv'): Place {
  return placeWithin(folder, name);
}

function padded(number: number): string {
  return String(number).padStart(6, '0');
}
