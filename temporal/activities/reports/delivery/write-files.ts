import { placeText, placeWithin } from '../../../../places/place-text';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import { writePlace } from '../../../../places/places';

export interface NamedFile {
  readonly name: string;
  readonly content: string;
}

/** Writes the files into the folder, each whole; the same report replaces itself. Resolves with where they lie. */
export async function writeFiles(
  access: PlaceAccess,
  folder: Place,
  files: readonly NamedFile[],
): Promise<string> {
  const places = files.map(({ name }) => placeWithin(folder, name));
  for (const [index, { content }] of files.entries()) {
    const place = places[index];
    if (place !== undefined) await writePlace(access, place, content);
  }
  return places.map(placeText).join(', ');
}
