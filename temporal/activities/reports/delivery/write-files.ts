import { locationText, locationWithin } from '../../../../files/location-text';
import type { FileLocation } from '../../../../files/file-location';
import { writeFileAt } from '../../../../files/files';
import type { FileAccess } from '../../../../files/files';

export interface NamedFile {
  readonly name: string;
  readonly content: string;
}

/**
 * Writes each file completely into the folder. The same report replaces its earlier files. Resolves with their
 * location.
 */
export async function writeFiles(
  access: FileAccess,
  folder: FileLocation,
  files: readonly NamedFile[],
): Promise<string> {
  const locations = files.map(({ name }) => locationWithin(folder, name));
  for (const [index, { content }] of files.entries()) {
    const location = locations[index];
    if (location !== undefined) await writeFileAt(access, location, content);
  }
  return locations.map(locationText).join(', ');
}
