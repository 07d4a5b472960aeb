import { glob } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** One folder per release. Folders are added and never changed. */
export const HISTORIES = resolve(__dirname, '..', 'histories');

/** Paths of all saved histories. */
export async function historyFiles(): Promise<string[]> {
  return (await Array.fromAsync(glob(join(HISTORIES, '**', '*.json')))).sort();
}
