import { Option } from 'commander';
import type { Command } from 'commander';
import type { DeliveryQuery } from '../../../api/webhooks/delivery-query';
import { localZone, optionsIn, withOptions, wordOf } from '../../flags/options';
import type { FlagValues } from '../../flags/options';
import { DELIVERY_OPTIONS } from '../../../api/options/search-options';
import { eachDelivery } from '../../../api/webhooks/delivery-search';
import { withService, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { limitOf, printList, withPageFlags } from '../../output/print-records';
import type { PageFlags } from '../../output/print-records';
import { ValidationError } from '../../../api/errors';
import { exportDeliveries } from '../../../api/webhooks/delivery-export';
import { formatOfOutput, withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';
import { counted } from '../../output/plain-text';

const COLUMNS = ['id', 'deliveryId', 'status', 'sentAt', 'createdAt', 'mediaId', 'subAccountId', 'event'];

const FORMATS = ['csv', 'json', 'jsonl'] as const;

interface ListFlags extends FlagValues, PageFlags, OutputFlags {
  readonly from: string;
  readonly format?: (typeof FORMATS)[number];
}

/** `media-service deliveries list`: api.md, "GET {base_url}/api/webhook/search". */
export function addDeliveriesList(deliveries: Command, context: CliContext): void {
  const command = withOptions(
    deliveries
      .command('list')
      .description('List the webhook deliveries of a period, or write them to a file.'),
    DELIVERY_OPTIONS,
  );
  const from = command.options.find(({ long }) => long === '--from');
  if (from !== undefined) from.makeOptionMandatory().description = `required: ${from.description}`;
  withPageFlags(command, 'deliveries').addOption(
    new Option(
      '--format <format>',
      'all of them, as csv (as the service writes it), json (one array) or jsonl',
    )
      .argParser(wordOf(FORMATS))
      .conflicts(['limit', 'all']),
  );
  withOutputFlags(command);
  addHelp(
    command,
    'Prints a table, with --json one delivery per line. With --format or --output it writes all deliveries, however ' +
      'many pages they are (default: as the name of the file ends, else csv); with --output it prints the path of the file.',
    [
      'media-service deliveries list --from yesterday --status FAILED',
      'media-service deliveries list --from 2026-11-01 --to 2026-11-02 --status FAILED -o failed.csv',
    ],
  ).action((flags: ListFlags) =>
    flags.format === undefined && flags.output === undefined ? list(context, flags) : write(context, flags),
  );
}

function queryOf(flags: Pick<ListFlags, 'from'>): DeliveryQuery {
  return { zone: localZone(), ...optionsIn(flags, DELIVERY_OPTIONS), from: flags.from };
}

async function list(context: CliContext, flags: ListFlags): Promise<void> {
  const limits = { signal: context.interrupts.first, ...limitOf(flags) };
  await withService(context, (service) =>
    printList(context.terminal, eachDelivery(service, queryOf(flags), limits), {
      ...{ row: (delivery) => delivery, columns: COLUMNS, noun: 'delivery record', flags },
    }),
  );
}

async function write(context: CliContext, { output, ...flags }: ListFlags): Promise<void> {
  const { terminal, interrupts, cwd } = context;
  const format = formatOfOutput({ output, format: flags.format }, FORMATS);
  if (terminal.isJson && output === undefined && format === 'csv') {
    throw new ValidationError('--json', '--json and --format csv exclude each other.', 'Omit one of them.');
  }
  if (flags.limit !== undefined)
    throw new ValidationError(
      '--limit',
      '--output writes all deliveries of the period, so it takes no --limit.',
      'Omit --limit, or narrow --from and --to.',
    );
  let records = 0;
  let pages = 0;
  const written = (): string => `${counted(records, 'delivery record')} in ${counted(pages, 'page')}`;
  await withService(context, async (service) => {
    const pieces = exportDeliveries(service, queryOf(flags), {
      format,
      signal: interrupts.first,
      onPage: (page) => {
        pages = page.page;
        records = page.recordsSoFar;
      },
    });
    if (output === undefined) {
      for await (const piece of pieces) await terminal.remoteData(piece);
      terminal.note(`${written()}.`);
      return;
    }
    const { path: file, bytes } = await writeOutputFile({ cwd, path: output }, pieces);
    await terminal.answer({ file, format, records, pages, bytes }, `${written()} written to ${file}.\n`);
  });
}
