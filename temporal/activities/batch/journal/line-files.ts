import { isJsonObject } from '../../../../api/json';
import type { JsonObject } from '../../../../api/json';
import { MediaServiceError } from '../../../../api/errors';
import type { Place } from '../../../../places/place';
import type { PlaceAccess } from '../../../../places/place-access';
import { placeText } from '../../../../places/place-text';
import { readPlace, writePlace } from '../../../../places/places';

/** The objects of a file of JSON lines that this package wrote. Rejects as `readPlace`, and with `Internal` where a line is no object. */
export async function* readLines(
  access: PlaceAccess,
  place: Place,
  signal?: AbortSignal,
): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readPlace(access, place, signal)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield objectOf(line, place);
  }
  if (rest !== '') yield objectOf(rest, place);
}

/** Writes a whole file of JSON lines. Rejects as `writePlace`. */
export function writeLines(access: PlaceAccess, place: Place, lines: readonly object[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return writePlace(access, place, text);
}

function objectOf(line: string, place: Place): JsonObject {
  const value = parsed(line);
  if (isJsonObject(value)) return value;
  throw new MediaServiceError('Internal', `A line of ${placeText(place)} is no JSON object.`, {
    hint: 'Only batches write to this folder. Restore the file, or start the rows as a new batch with another folder.',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
