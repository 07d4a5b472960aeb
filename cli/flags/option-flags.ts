import { Option } from 'commander';
import type { Command } from 'commander';
import { BATCH_OPTIONS } from '../../api/options/batch-options';
import type { Option as Described, OptionTable } from '../../api/options/option';
import { UPLOAD_OPTIONS } from '../../api/options/upload-options';
import type { UploadOptions } from '../../api/options/upload-options';
import type { BatchOptions } from '../../temporal/batch/types';
import { bytesOf, millisecondsOf, numberFrom } from './option-values';

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
