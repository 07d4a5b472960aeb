import { isIPv4, isIPv6 } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { given } from '../../api/json';
import { bytesIn, oneOf, rateFrom as rateOf, wholeNumber } from '../../settings/value-parsers';
import { BATCH_OPTIONS } from '../../api/options/batch-options';
import type { Option as Described, OptionTable } from '../../api/options/option';
import { UPLOAD_OPTIONS } from '../../api/options/upload-options';
import type { UploadOptions } from '../../api/options/upload-options';
import type { BatchOptions } from '../../temporal/batch/types';

const SPANS: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a whole number from `min` to `max`. */
export function numberFrom(min: number, max?: number): (text: string) => number {
  return flagValue(wholeNumber(min, max));
}

/** Reads `16MiB`, `20 MB`, `5242880` as bytes. */
export function bytesOf(text: string): number {
  const bytes = bytesIn(text) ?? 0;
  if (bytes < 1) throw new InvalidArgumentError('It must be a size, such as 16MiB, 20MB or 5242880.');
  return bytes;
}

/** Reads `50MB/s` or `50MB`: bytes per second, at least this many. */
export function rateFrom(min: number): (text: string) => number {
  return flagValue(rateOf(min));
}

/** Reads `90s`, `5m`, `1500` (ms) as milliseconds. */
export function millisecondsOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const ms = Number(number) * (SPANS[unit.toLowerCase()] ?? Number.NaN);
  if (number === '' || !Number.isSafeInteger(Math.round(ms))) {
    throw new InvalidArgumentError('It must be a time span, such as 90s, 5m, 2h or 1500 (ms).');
  }
  return Math.round(ms);
}

/** Reads `8080`, `10.0.0.7:8080`, `[::1]:8080` or `*:8080`, for all addresses of this machine. */
export function listenAddress(text: string): { readonly host?: string; readonly port: number } {
  const [, v6, other, digits = ''] = /^(?:(?:\[(.*)\]|([^:]*)):)?(\d+)$/.exec(text.trim()) ?? [];
  const host = v6 ?? other;
  const port = Number(digits);
  const isHost = v6 === undefined ? host === undefined || host === '*' || isIPv4(host) : isIPv6(v6);
  if (!isHost || port < 1 || port > 65_535) {
    throw new InvalidArgumentError(
      'It must be a port or an IP address with a port, such as 8080, 10.0.0.7:8080, [::1]:8080 or *:8080.',
    );
  }
  return { ...given({ host }), port };
}

/** Collects a flag that may be repeated. */
export function collect<T>(
  parse: (text: string) => T,
): (text: string, before: readonly T[] | undefined) => readonly T[] {
  return (text, before = []) => [...before, parse(text)];
}

/** Reads `key=value`. The value may contain further equals signs. */
export function keyValue(text: string): readonly [key: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must be key=value.');
  if (text.slice(at + 1).trim() === '')
    throw new InvalidArgumentError('Its value is empty. Check that the shell variable is set.');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Reads one of the words, in any case. */
export function wordOf<const Word extends string>(words: readonly Word[]): (text: string) => Word {
  return flagValue(oneOf(words));
}

/** Reads a flag's value with a parser of settings. */
function flagValue<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "can't be read";
      throw new InvalidArgumentError(`It ${reason}.`);
    }
  };
}

/** The flags of a table's options. Meaning, limits and default of each are in the table. */
type FlagsOf<Table extends OptionTable> = Readonly<Partial<Record<keyof Table, string>>>;

/** How files are sent: for `upload`, and for every row of a batch. */
const SENDING = {
  partBytes: '--part-size <size>',
  concurrency: '--concurrency <n>',
  acceptAnyContent: '--accept-any-content',
  verifyMd5: '--no-verify',
} as const satisfies FlagsOf<typeof UPLOAD_OPTIONS>;

/** How sources are read: for `upload`, and for every row of a manifest. */
const SOURCES = {
  sourceSecret: '--source-secret <name>',
} as const satisfies FlagsOf<typeof BATCH_OPTIONS>;

/** The rest of a batch's options, except for its failure limits, which share a flag. */
const BATCH = {
  parallelUploads: '--parallel-uploads <n>',
  maxSameFailures: '--max-same-failures <n>',
  uploadChanged: '--upload-changed',
  skipBad: '--skip-bad',
} as const satisfies FlagsOf<typeof BATCH_OPTIONS>;

/** The values of a command's flags, as commander returns them. */
export type FlagValues = Readonly<Record<string, unknown>>;

export const withSendingFlags = (command: Command): Command => add(command, UPLOAD_OPTIONS, SENDING);
export const withSourceFlags = (command: Command): Command => add(command, BATCH_OPTIONS, SOURCES);
export const withRowFlags = (command: Command): Command => add(command, BATCH_OPTIONS, BATCH);

/** Unset options get their defaults in the worker. */
export const sendingOptionsOf = (values: FlagValues): UploadOptions => read(values, SENDING);
export const sourceOptionsOf = (values: FlagValues): Pick<BatchOptions, keyof typeof SOURCES> =>
  read(values, SOURCES);
export const rowOptionsOf = (values: FlagValues): BatchOptions => read(values, { ...BATCH, ...SOURCES });

function add(command: Command, table: OptionTable, flags: Readonly<Record<string, string>>): Command {
  for (const [name, spelled] of Object.entries(flags)) {
    const described = table[name];
    if (described === undefined) continue;
    const flag = new Option(spelled, descriptionOf(described, spelled));
    command.addOption(described.type === 'boolean' ? flag : flag.argParser(parserOf(described)));
  }
  return command;
}

function descriptionOf({ type, description, min, max, ...option }: Described, spelled: string): string {
  const text = description.charAt(0).toLowerCase() + description.slice(1);
  if (type === 'boolean') return spelled.startsWith('--no-') ? `don't ${text}` : text;
  const range = max === undefined ? '' : `, ${min ?? 0} to ${max}`;
  return `${text}${range}${option.default === undefined ? '' : ` (default: ${option.default})`}`;
}

function parserOf({ type, unit, min = 0, max }: Described): (text: string) => number | string {
  if (type === 'text') return String;
  if (unit === 'ms') return millisecondsOf;
  if (unit === 'bytes') return bytesOf;
  return numberFrom(min, max);
}

function read(values: FlagValues, flags: Readonly<Record<string, string>>): object {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([name, spelled]) => {
      const flag = new Option(spelled);
      const value = values[flag.attributeName()];
      // Commander gives `--no-…` the value true by default.
      return value === undefined || (flag.negate && value !== false) ? [] : [[name, value]];
    }),
  );
}
