import { isRecord } from '../api/json';
import type { ServiceOptions } from '../api/account';
import * as as from './value-parsers';

/** What the interface leaves open, each with an example: in `MEDIA_SERVICE_OPTIONS`, and in an account's `options`. */
const SERVICE_OPTIONS = {
  ingestTag: [as.tagOrOff, 'ingestKey'],
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

/** Notes a problem of one field. `problem` ends the sentence "<field> …" and never shows content. */
export type Note = (field: string, problem: string) => void;

/** Reads an object of options. Wrong ones go to `note`, and are left out. */
export function readServiceOptions(value: unknown, note: Note): ServiceOptions {
  if (value === undefined) return {};
  if (!isRecord(value)) {
    note('options', 'is not an object');
    return {};
  }
  noteUnknown(value, { known: new Set(Object.keys(SERVICE_OPTIONS)), prefix: 'options.' }, note);
  const read = Object.entries(SERVICE_OPTIONS).flatMap(([name, [parse, example]]) => {
    const given = value[name];
    if (given === undefined) return [];
    try {
      return [[name, parse(name === 'ingestTag' && given === false ? 'off' : plainText(given))] as const];
    } catch (error) {
      const reason = error instanceof Error ? error.message : "can't be read";
      note(`options.${name}`, `${reason}; an example: ${example}`);
      return [];
    }
  });
  return Object.fromEntries(read);
}

/** Reads `{"maxParts":60}`. Throws an error that ends the sentence "<variable> …". */
export function serviceOptionsIn(text: string): ServiceOptions {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const problems: string[] = [];
  const options = readServiceOptions(value, (field, problem) => problems.push(`${field} ${problem}`));
  if (problems.length > 0) throw new Error(`is wrong: ${problems.join('; ')}`);
  return options;
}

function plainText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw new Error('is not a plain value');
}

/** Notes each field that nothing reads. */
export function noteUnknown(
  fields: Readonly<Record<string, unknown>>,
  { known, prefix }: { readonly known: ReadonlySet<string>; readonly prefix: string },
  note: Note,
): void {
  for (const name of Object.keys(fields)) {
    if (!known.has(name)) note(`${prefix}${name}`, `is unknown; known are ${[...known].join(', ')}`);
  }
}
