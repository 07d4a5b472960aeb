import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the path of a missing file as the disk spells it, if only its accents differ: people type NFC, while macOS and
 * some shares keep NFD. Undefined: there is no such file, or more than one.
 */
export async function otherSpelling(file: string): Promise<string | undefined> {
  if (file.normalize('NFC') === file.normalize('NFD')) return undefined;
  const above = path.dirname(file);
  const folder = (await isThere(above)) ? above : await otherSpelling(above);
  if (folder === undefined) return undefined;
  const wanted = path.basename(file).normalize('NFC');
  // A folder that can't be listed shows no other spelling.
  const names = await readdir(folder).catch((): string[] => []);
  const [name, ...others] = names.filter((one) => one.normalize('NFC') === wanted);
  return name === undefined || others.length > 0 ? undefined : path.join(folder, name);
}

export function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}
