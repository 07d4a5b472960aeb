import { ValidationError } from '../errors';
import { isRecord } from '../json';
import type { JsonObject } from '../json';

/** The doors that may lack an option. The HTTP door has all. */
export type Door = 'command' | 'n8n';

/** One option of an operation, as every door shows and checks it. Pure data. */
export interface Option {
  readonly type: 'integer' | 'number' | 'boolean' | 'text' | 'list' | 'texts' | 'object';
  /** Of a number. */
  readonly unit?: 'bytes' | 'ms';
  /** Limits of a number; for `exclusiveMin`, the number must be larger. */
  readonly min?: number;
  readonly exclusiveMin?: number;
  readonly max?: number;
  /** Limit of a text, in characters. */
  readonly maxLength?: number;
  /** The only texts that it may be. */
  readonly values?: readonly string[];
  /** Unset: there is none, or the description names it. */
  readonly default?: number | boolean | string;
  /** One sentence without its last full stop. */
  readonly description: string;
  /** The flag of the command, as `--title <title>`. */
  readonly flag?: string;
  /** For each door that lacks it: why, or what does the same there. */
  readonly notIn?: Readonly<Partial<Record<Door, string>>>;
  /** For tests and this package itself: no door offers it. */
  readonly internal?: true;
}

export type OptionTable<Name extends string = string> = Readonly<Record<Name, Option>>;

interface ValueTypes {
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly text: string;
  readonly list: readonly string[];
  readonly texts: Readonly<Record<string, string>>;
  readonly object: JsonObject;
}

type ValueOf<Of extends Option> = Of extends { readonly values: ReadonlyArray<infer Word> }
  ? Of['type'] extends 'list'
    ? readonly Word[]
    : Word
  : ValueTypes[Of['type']];

/** The values of a table's options, by name. */
export type OptionValues<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]>;
};

/** The names of the options that a door offers. */
export function namesIn<Name extends string>(door: Door, table: OptionTable<Name>): Name[] {
  // The keys of a table are its names.
  const names = Object.keys(table) as Name[];
  return names.filter((name) => table[name].internal !== true && table[name].notIn?.[door] === undefined);
}

type DefaultsOf<Table extends OptionTable> = {
  readonly [
    Name in keyof Table as Table[Name] extends { readonly default: unknown } ? Name : never
  ]: ValueTypes[Table[Name]['type']];
};

/** The defaults of the options that have one. */
export function defaultsOf<Table extends OptionTable>(table: Table): DefaultsOf<Table> {
  const entries = Object.entries<Option>(table).map(([name, option]) => [name, option.default]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as DefaultsOf<Table>;
}

/** Says what is wrong with the value of an option, or undefined. */
function problemOf(option: Option, value: unknown): string | undefined {
  const { type, maxLength = Infinity, values } = option;
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'texts':
    case 'object':
      return isRecord(value) ? undefined : 'must be an object of keys and values';
    case 'list':
      if (!Array.isArray(value)) return 'must be a list';
      return value.map((one) => problemOf({ ...option, type: 'text' }, one)).find(Boolean);
    case 'text':
      if (typeof value !== 'string') return 'must be a text';
      if (values !== undefined && !values.includes(value)) return `must be one of ${values.join(', ')}`;
      return [...value].length > maxLength ? `may have at most ${maxLength} characters` : undefined;
    default:
      return problemOfNumber(option, value);
  }
}

/** Says what is wrong with a number, or undefined. */
export function problemOfNumber(
  { type, unit, min, exclusiveMin, max }: Option,
  value: unknown,
): string | undefined {
  if (type !== 'integer' && type !== 'number') return undefined;
  const isNumber =
    typeof value === 'number' && (type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value));
  const [low, above, high] = [min ?? -Infinity, exclusiveMin ?? -Infinity, max ?? Infinity];
  if (isNumber && value >= low && value > above && value <= high) return undefined;
  const noun = `a ${type === 'integer' ? 'whole ' : ''}number${unit === 'ms' ? ' of milliseconds,' : ''}`;
  const from = exclusiveMin === undefined ? `from ${min ?? 0} to` : `above ${exclusiveMin} and up to`;
  return `must be ${noun} ${max === undefined ? `${min ?? 0} or more` : `${from} ${max}`}`;
}

/** Throws a `ValidationError` that names the first option outside its limits. `within`: what comes before its name. */
export function checkOptions(table: OptionTable, options: object, within = 'options.'): void {
  const given = new Map<string, unknown>(Object.entries(options));
  for (const [name, option] of Object.entries(table)) {
    const value = given.get(name);
    const problem = value === undefined ? undefined : problemOf(option, value);
    if (problem !== undefined)
      throw new ValidationError(within + name, `${name} ${problem}`, undefined, problem);
  }
}
