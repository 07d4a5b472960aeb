import { isJsonObject, parsedJson, type JsonObject } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import type { FileLocation } from '../../files/file-location';
import { readFileAt, writeFileAt, type FileAccess } from '../../files/files';
import { locationText } from '../../files/location-text';
import { textLines } from '../../files/text-lines';

/**
 * The objects of a file of JSON lines that this package wrote. Rejects as `readFileAt`, and with `Internal` if a line
 * is not an object.
 */
export async function* readLines(
  access: FileAccess,
  location: FileLocation,
  signal?: AbortSignal,
): AsyncGenerator<JsonObject> {
  for await (const line of textLines(readFileAt(access, location, signal))) {
    const value = parsedJson(line);
    if (isJsonObject(value)) yield value;
    else throw noLine(location);
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

function noLine(location: FileLocation): MediaServiceError {
  return new MediaServiceError('Internal', `A line of ${locationText(location)} is not a JSON object.`, {
    hint: 'Only batches write to this folder. Restore the file, or start the rows as a new batch with another folder.',
  });
}
