import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BATCH_OPTIONS } from '../../../../api/options/batch-options';
import type { Door, Option, OptionTable } from '../../../../api/options/option';
import { DELIVERY_OPTIONS, REPORT_OPTIONS, SEARCH_OPTIONS } from '../../../../api/options/search-options';
import { MEDIA_OPTIONS, START_OPTIONS, UPLOAD_OPTIONS } from '../../../../api/options/upload-options';
import { BATCH_ROUTES } from '../../../../gateway/batches';
import { UPLOAD_ROUTES } from '../../../../gateway/uploads';
import type { Route } from '../../../../gateway/route';
import { RESOURCES } from '../../../../nodes/MediaService/resources';
import { cliProgram } from '../../../support/cli-flags';
import { ROOT } from '../../../support/pack';
import { everyField } from '../../../n8n/support/every-field';

const { status: _status, ...PERIOD } = DELIVERY_OPTIONS;
const REPORT = { ...PERIOD, ...REPORT_OPTIONS };

interface Family {
  readonly name: string;
  readonly table: OptionTable;
  readonly command: string;
  /** Its resource and operation. */
  readonly n8n: string;
  readonly routes?: readonly Route[];
}

const FAMILIES: readonly Family[] = [
  {
    name: 'Upload',
    table: { ...START_OPTIONS, ...MEDIA_OPTIONS, ...UPLOAD_OPTIONS },
    command: 'upload',
    n8n: 'upload upload',
    routes: UPLOAD_ROUTES,
  },
  { name: 'Batch', table: BATCH_OPTIONS, command: 'batches start', n8n: 'batch start', routes: BATCH_ROUTES },
  { name: 'Media search', table: SEARCH_OPTIONS, command: 'search', n8n: 'media search' },
  {
    name: 'Webhook deliveries',
    table: DELIVERY_OPTIONS,
    command: 'deliveries list',
    n8n: 'webhookDelivery getMany',
  },
  { name: 'Report', table: REPORT, command: 'deliveries report', n8n: 'webhookDelivery report' },
];

/** What is about a door itself: its output, its ways to name a file, what it waits for. */
const OWN: Readonly<Record<'command' | 'n8n', readonly string[]>> = {
  command: [
    ...['--json', '--debug', '--output', '--format', '--limit', '--all', '--wait'],
    // Several options in one flag, or what other doors have as a field for the manifest.
    ...['--library', '--only', '--max-failures', '--id', '--results', '--folder'],
  ],
  n8n: [
    ...['runIn', 'host', 'source', 'url', 'path', 'binaryPropertyName'],
    ...['wait', 'simplify', 'returnAll', 'limit', 'output', 'includeOtherFields', 'names'],
    ...['options', 'filters', 'media', 'isLibrary', 'includeInReport'],
    // How a batch gets its rows, and their fields.
    ...['rowsFrom', 'manifest', 'columns', 'batchId', 'folder', 'stopWhen'],
    ...Object.keys({ ...MEDIA_OPTIONS, ...UPLOAD_OPTIONS }),
    ...['metadata', 'subAccount', 'time'],
  ],
};

function commandOf({ command }: Family): Command {
  return command.split(' ').reduce((parent, word) => {
    const found = parent.commands.find((one) => one.name() === word);
    if (found === undefined) throw new Error(`There is no command ${command}.`);
    return found;
  }, cliProgram());
}

const flagsOf = (family: Family): string[] =>
  commandOf(family).options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []));

function fieldsOf({ n8n }: Family): string[] {
  const [resource, operation] = n8n.split(' ');
  const found = RESOURCES.find(({ option }) => option.value === resource)?.operations.find(
    ({ option }) => option.value === operation,
  );
  return everyField(found?.parameters ?? []).map(({ name }) => name);
}

/** The names in the schema of a request, also inside its objects. */
function namesOf(schema: unknown): string[] {
  const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, unknown>> };
  return Object.entries(properties).flatMap(([name, inner]) => [name, ...namesOf(inner)]);
}

const isOffered = (family: Family, door: Door, [name, { flag = '' }]: readonly [string, Option]): boolean => {
  if (door === 'n8n') return fieldsOf(family).includes(name);
  const [long = ''] = flag.split(' ');
  return flag.startsWith('[') || flagsOf(family).includes(long);
};

const offeredOf = ({ table }: Family): (readonly [string, Option])[] =>
  Object.entries(table).filter(([, { internal }]) => internal !== true);

describe.each(FAMILIES)('the options of $name', (family) => {
  test.each<Door>(['command', 'n8n'])('are offered by %s, or the table says why not', (door) => {
    const wrong = offeredOf(family).filter(
      (option) => isOffered(family, door, option) === (option[1].notIn?.[door] !== undefined),
    );
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  if (family.routes !== undefined) {
    test('are all taken by the HTTP door', () => {
      const names = namesOf(family.routes?.[0]?.body);
      expect(offeredOf(family).filter(([name]) => !names.includes(name))).toEqual([]);
    });
  }

  test('are all that the doors offer', () => {
    // A batch also has the options of each upload.
    const known: OptionTable = { ...START_OPTIONS, ...UPLOAD_OPTIONS, ...family.table };
    const flags = Object.values(known).flatMap(({ flag = '' }) => flag.split(' ')[0] ?? '');
    expect(flagsOf(family).filter((flag) => ![...flags, ...OWN.command].includes(flag))).toEqual([]);
    const names = [...Object.keys(family.table), ...OWN.n8n];
    expect(fieldsOf(family).filter((name) => !names.includes(name))).toEqual([]);
  });

  test('are listed in docs/options.md as the table has them', () => {
    const [, rest = ''] = readFileSync(join(ROOT, 'docs', 'options.md'), 'utf8').split(
      `\n## ${family.name}\n`,
    );
    const [chapter = ''] = rest.split('\n## ');
    const [, ...items] = chapter.split('\n- ').map((item) => item.replace(/\s+/g, ' ').trim());
    expect(items).toEqual(offeredOf(family).map(itemOf));
  });
});

/** An option as a line of the page: its name, its flag, its meaning, and why a door lacks it. */
function itemOf([name, option]: readonly [string, Option]): string {
  const { flag, notIn = {}, description, unit, default: unset } = option;
  const names = flag === undefined ? `\`${name}\`` : `\`${name}\`, \`${flag}\``;
  const facts = [unit === undefined ? [] : [`in ${unit}`], unset === undefined ? [] : [`default: ${unset}`]];
  const details = facts.flat().length === 0 ? '' : ` (${facts.flat().join(', ')})`;
  const lacks = [
    ...(notIn.command === undefined ? [] : [` Command: ${notIn.command}.`]),
    ...(notIn.n8n === undefined ? [] : [` n8n: ${notIn.n8n}.`]),
  ];
  return `${names}: ${description}${details}.${lacks.join('')}`;
}
