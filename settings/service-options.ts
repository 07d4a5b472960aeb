import { isRecord } from '../api/json';
import type { ServiceOptions } from '../api/account';
import * as as from './value-parsers';

/** What the interface leaves open, each with an example: in `MEDIA_SERVICE_OPTIONS`, and in an account's `options`. */
const SERVICE_OPTIONS = {
  ingestTag: [as.text, 'ingestKey'],
  additionalUrls: [as.additionalUrlsRequest, 'POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}'],
  completeBody: [as.completeTemplate, '{"parts":{parts}}'],
  maxParts: [as.wholeNumber(1, 120), '120'],
  partContentType: [as.text, 'video/mp4'],
  sortSeparator: [String, ','],
  allowPlainHttp: [as.yesOrNo, 'true'],
} as const satisfies Record<
  keyof ServiceOptions,
  readonly [parse: (text: string) => unknown, example: string]
>;

/** Reads an object of options. Throws an error that names the wrong one and never shows content. */
export function readServiceOptions(value: unknown = {}): ServiceOptions {
  if (!isRecord(value)) throw new Error('options is not an object');
  refuseUnknown(value, Object.keys(SERVICE_OPTIONS), 'options.');
  const read = Object.entries(SERVICE_OPTIONS).flatMap(([name, [parse, example]]) => {
    const given = value[name];
    if (given === undefined) return [];
    if (name === 'ingestTag' && given === false) return [[name, false] as const];
    try {
      return [[name, parse(plainText(given))] as const];
    } catch (error) {
      const reason = error instanceof Error ? error.message : "can't be read";
      throw new Error(`options.${name} ${reason}; an example: ${example}`);
    }
  });
  return Object.fromEntries(read);
}

/** Reads `{"maxParts":60}`. Throws an error that ends the sentence "<variable> …". */
export function serviceOptionsIn(text: string): ServiceOptions {
  const value = as.json(text);
  try {
    return readServiceOptions(value);
  } catch (error) {
    throw new Error(`is wrong: ${error instanceof Error ? error.message : "can't be read"}`);
  }
}

function plainText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new Error('is not a plain value');
}

/** Throws an error that names the first field that nothing reads. */
export function refuseUnknown(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
  prefix = '',
): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${prefix}${unknown} is unknown; known are ${known.join(', ')}`);
}
