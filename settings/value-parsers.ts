import { delimiter } from 'node:path';
import { ConfigurationError } from '../api/errors';
import { isJsonObject } from '../api/json';
import { parseUrlRequestForm } from '../api/upload/protocol/additional-urls';
import { checkTemplate } from '../api/upload/protocol/complete-session';
import { parseCodecKeys } from '../temporal/codec';

/** Reads any text, without surrounding spaces. */
export function text(value: string): string {
  return value.trim();
}

/** Reads an absolute http or https address. The account check has the further rules. */
export function httpUrl(value: string): string {
  const trimmed = value.trim();
  if (!/^https?:\/\/[^/\s]/i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new Error('is not an http or https address');
  }
  return trimmed;
}

/** Reads host:port; an IPv6 address is in brackets. */
export function hostAndPort(value: string): string {
  const trimmed = value.trim();
  const port = /^(?:\[[\da-f:.]+\]|[^\s:/@[\]]+):(\d{1,5})$/i.exec(trimmed)?.[1];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535) throw new Error('is not host:port');
  return trimmed;
}

/** Reads `true`, `1`, `yes`, `on` and their opposites, in any case. */
export function yesOrNo(value: string): boolean {
  const word = value.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  throw new Error('must be true or false');
}

/** Reads a whole number from `min` to `max`. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value.trim()) || number < min || number > max) {
      const range = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
      throw new Error(`must be a whole number${range}`);
    }
    return number;
  };
}

/** Reads one of the words, in any case. */
export function oneOf<const Word extends string>(words: readonly Word[]): (value: string) => Word {
  return (value) => {
    const found = words.find((word) => word.toLowerCase() === value.trim().toLowerCase());
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return found;
  };
}

/** Reads folders or files, separated as in PATH. Empty entries are dropped. */
export function pathList(value: string): readonly string[] {
  return value
    .split(delimiter)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Reads secrets, separated by spaces or lines, each once. A secret may contain a comma. */
export function secretList(value: string): readonly string[] {
  return [...new Set(value.split(/\s+/).filter((secret) => secret !== ''))];
}

/** Reads host names or addresses, separated by commas or spaces. Empty entries are dropped. */
export function hostList(value: string): readonly string[] {
  return listOf(value, /^[^/@?#]+$/, 'a host name').map((host) => host.toLowerCase());
}

/** Reads names of buckets, separated by commas or spaces. */
export function bucketList(value: string): readonly string[] {
  return listOf(value, /^[a-z0-9][a-z0-9._-]+$/i, 'the name of a bucket');
}

function listOf(value: string, right: RegExp, what: string): readonly string[] {
  const entries = value.split(/[\s,]+/).filter((entry) => entry !== '');
  const wrong = entries.find((entry) => !right.test(entry));
  if (wrong !== undefined) throw new Error(`holds "${wrong}", which is not ${what}`);
  return entries;
}

/**
 * Reads a text in the form that the client takes, and keeps it as written. `check` throws otherwise; `otherwise`: what
 * is wrong if its error has no short word for it.
 */
function acceptedBy(
  check: (value: string) => unknown,
  otherwise = "can't be read",
): (value: string) => string {
  return (value) => {
    try {
      check(value.trim());
    } catch (error) {
      const problem = error instanceof ConfigurationError ? error.facts.problem : undefined;
      throw new Error(problem ?? otherwise);
    }
    return value.trim();
  };
}

// As functions, so that the command loads the checks with their first use.
export const completeTemplate = acceptedBy((value) => checkTemplate(value));
export const additionalUrlsRequest = acceptedBy((value) => parseUrlRequestForm(value));
/** Its errors never quote a key. */
export const codecKeys = acceptedBy(
  (value) => parseCodecKeys(value),
  'is not a list of id:key with keys of 32 bytes in base64, each id once',
);

const BYTES: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** Reads `16MiB`, `20 MB` or `5242880` as bytes; undefined for anything else. `units`: those of another quantity. */
export function quantityIn(value: string, units = BYTES): number | undefined {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) ?? [];
  const quantity = Math.round(Number(number) * (units[unit.toLowerCase()] ?? Number.NaN));
  return number === '' || !Number.isSafeInteger(quantity) ? undefined : quantity;
}

/** Reads `50MB/s`, `50 MiB/s` or plain bytes per second, at least `min`. */
export function rateFrom(min: number): (value: string) => number {
  return (value) => {
    const bytes = quantityIn(value.replace(/\/s\s*$/i, ''));
    if (bytes === undefined) throw new Error('is not a rate such as 50MB/s');
    if (bytes < min) throw new Error(`is below ${min >= 1_000_000 ? '1 MB/s' : `${min / 1024} KiB/s`}`);
    return bytes;
  };
}

/** Reads JSON. Its error never quotes the text, which may hold secrets. */
export function json(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new Error('is not JSON');
  }
}

const NUMBERS = ['heartbeatMs', 'smallFileBytes', 'pageRows'] as const;

export type Tuning = Readonly<Partial<Record<(typeof NUMBERS)[number], number>>>;

/** Reads `{"heartbeatMs":4000}`. */
export function tuning(value: string): Tuning {
  const read = json(value);
  if (!isJsonObject(read)) throw new Error('is not a JSON object');
  const isNumber = ([name, number]: [string, unknown]): boolean =>
    NUMBERS.some((known) => known === name) && Number.isSafeInteger(number);
  if (Object.entries(read).every(isNumber)) return read;
  throw new Error(`holds more than whole numbers named ${NUMBERS.join(', ')}`);
}
