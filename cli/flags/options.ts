import { isIPv4, isIPv6 } from 'node:net';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { ValidationError } from '../../api/errors';
import { given } from '../../api/json';
import { oneOf, quantityIn, wholeNumber } from '../../settings/value-parsers';
import type { Option as Described, OptionTable, OptionValues } from '../../api/options/option';

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
  const bytes = quantityIn(text) ?? 0;
  if (bytes < 1) throw new InvalidArgumentError('It must be a size, such as 16MiB, 20MB or 5242880.');
  return bytes;
}

/** Reads `90s`, `5m`, `1500` (ms) as milliseconds. */
export function millisecondsOf(text: string): number {
  const ms = quantityIn(text, SPANS);
  if (ms === undefined)
    throw new InvalidArgumentError('It must be a time span, such as 90s, 5m, 2h or 1500 (ms).');
  return ms;
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
export function flagValue<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      const reason = error instanceof Error ? error.message : "can't be read";
      throw new InvalidArgumentError(`It ${reason}.`);
    }
  };
}

/** The time zone of days without one: that of this machine, as n8n takes that of its workflow. */
export function localZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function withWait(command: Command): Command {
  return command.option('--wait', 'wait for the end, with a progress bar on a terminal');
}

/** The values of a command's flags, as commander returns them. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** Adds the flags of a table's options: all that the command has, or these. */
export function withOptions<Table extends OptionTable>(
  command: Command,
  table: Table,
  names: readonly (keyof Table & string)[] = Object.keys(table),
): Command {
  for (const name of names) {
    const option: Described | undefined = table[name];
    if (option?.flag?.startsWith('--') !== true) continue;
    const flag = new Option(option.flag, descriptionOf(option));
    command.addOption(flag.isBoolean() || flag.negate ? flag : flag.argParser(parserOf(option)));
  }
  return command;
}

/** Returns the options of a table that flags have set. Unset options get their defaults in the worker. */
export function optionsIn<Table extends OptionTable>(values: FlagValues, table: Table): OptionValues<Table> {
  const set = Object.entries<Described>(table).flatMap(([name, { flag = '' }]) => {
    if (!flag.startsWith('--')) return [];
    const option = new Option(flag);
    const value = values[option.attributeName()];
    // Commander gives `--no-…` the value true by default.
    if (value === undefined || (option.negate && value !== false)) return [];
    return [[name, value]];
  });
  return Object.fromEntries(set) as OptionValues<Table>;
}

function descriptionOf({ type, flag = '', description, values, min, max, ...option }: Described): string {
  const text = description.charAt(0).toLowerCase() + description.slice(1);
  if (type === 'boolean') return flag.startsWith('--no-') ? `don't ${text.split(';')[0] ?? ''}` : text;
  const words = values === undefined ? '' : `: ${values.join(', ')}`;
  const again = type === 'list' || type === 'texts' ? '; repeatable' : '';
  const facts = [
    ...(max === undefined ? [] : [`${min ?? 0} to ${max}`]),
    ...(option.default === undefined ? [] : [`default: ${option.default}`]),
  ];
  return `${text}${words}${again}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

function parserOf(option: Described): (text: string, before: unknown) => unknown {
  const { type, unit, values, min = 0, max } = option;
  if (type === 'texts') return addTag;
  const one = values === undefined ? String : wordOf(values);
  // Commander gives what the flag has had so far.
  if (type === 'list') return (text, before) => collect(one)(text, before as string[] | undefined);
  if (type === 'text' || type === 'object') return one;
  if (unit === 'ms') return millisecondsOf;
  return unit === 'bytes' ? bytesOf : numberFrom(min, max);
}

function addTag(text: string, before: unknown): Readonly<Record<string, string>> {
  const [key, value] = keyValue(text);
  const tags = before as Readonly<Record<string, string>> | undefined;
  if (tags !== undefined && Object.hasOwn(tags, key))
    throw new ValidationError('--tag', `The tag "${key}" is given twice.`, 'Give each tag once.');
  return { ...tags, [key]: value };
}
