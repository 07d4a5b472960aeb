import { isJsonObject, parsedJson } from '../../api/json';
import type { JsonObject } from '../../api/json';
import { MediaServiceError } from '../../api/errors';
import type { FileLocation } from '../../files/file-location';
import { readFileAt, writeFileAt } from '../../files/files';
import { locationText } from '../../files/location-text';
import type { FileAccess } from '../../files/files';

/**
 * The objects of a file of JSON lines that this package wrote. Rejects as `readFileAt`, and with `Internal` if a line
 * is not an object.
 */
export async function* readLines(
  access: FileAccess,
  location: FileLocation,
  signal?: AbortSignal,
): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readFileAt(access, location, signal)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield objectOf(line, location);
  }
  if (rest !== '') yield objectOf(rest, location);
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

function objectOf(line: string, location: FileLocation): JsonObject {
  const value = parsedJson(line);
  if (isJsonObject(value)) return value;
  throw new MediaServiceError('Internal', `A line of ${locationText(location)} is not a JSON object.`, {
    hint: 'Only batches write to this folder. Restore the file, or start the rows as a new batch with another folder.',
  });
}
