import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** One folder per release. Folders are added and never changed. */
export const HISTORIES = resolve(__dirname, '..', 'histories');

/** Paths of all saved histories. */
export async function historyFiles(): Promise<string[]> {
  const names = await readdir(HISTORIES, { recursive: true });
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(HISTORIES, name));
}
