import { Option } from 'commander';
import type { Command } from 'commander';
import { DELIVERY_STATUSES } from '../../../api/webhooks/delivery-query';
import type { DeliveryQuery, DeliveryStatus } from '../../../api/webhooks/delivery-query';
import { given } from '../../../api/json';
import { collect, wordOf } from '../../flags/options';
import { eachDelivery } from '../../../api/webhooks/delivery-search';
import { withService, addHelp } from '../../context';
import type { CliContext } from '../../context';
import { limitOf, printList, withPageFlags } from '../../output/print-records';
import type { PageFlags } from '../../output/print-records';
import { ValidationError } from '../../../api/errors';
import { exportDeliveries } from '../../../api/webhooks/delivery-export';
import { formatOfOutput, withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';

export interface DeliveryFlags {
  readonly from: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly status?: readonly DeliveryStatus[];
  readonly mediaId?: string;
  readonly subAccount?: string;
}

/** The flags that select webhook deliveries, for `list` and `report`. */
export function withDeliveryFlags(command: Command): Command {
  return command
    .option('--to <when>', 'end, exclusive, with --from (default: now)')
    .option('--timezone <zone>', 'time zone of dates without one (default: UTC)')
    .option('--media-id <id>', 'only deliveries about this media item')
    .option('--sub-account <id>', 'only this sub-account (default: all of the account)');
}

function deliveryQueryOf(flags: DeliveryFlags): DeliveryQuery {
  return {
    from: flags.from,
    ...given({
      to: flags.to,
      zone: flags.timezone,
      status: flags.status,
      mediaId: flags.mediaId,
      subAccountId: flags.subAccount,
    }),
  };
}

const COLUMNS = ['id', 'deliveryId', 'status', 'sentAt', 'createdAt', 'mediaId', 'subAccountId', 'event'];

const FORMATS = ['csv', 'json', 'jsonl'] as const;

interface ListFlags extends DeliveryFlags, PageFlags, OutputFlags {
  readonly format?: (typeof FORMATS)[number];
}

/** `media-service deliveries list`: api.md, "GET {base_url}/api/webhook/search". */
export function addDeliveriesList(deliveries: Command, context: CliContext): void {
  const command = withDeliveryFlags(
    deliveries
      .command('list')
      .description('List the webhook deliveries of a period, or write them to a file.')
      .requiredOption('--from <when>', 'start, required: 2026-11-01, -24h, yesterday, or an ISO time'),
  ).option(
    '--status <status>',
    `${DELIVERY_STATUSES.join(' or ')}; repeatable (default: both)`,
    collect(wordOf(DELIVERY_STATUSES)),
  );
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

async function list(context: CliContext, flags: ListFlags): Promise<void> {
  const limits = { signal: context.interrupts.first, ...limitOf(flags) };
  await withService(context, (service) =>
    printList(context.terminal, eachDelivery(service, deliveryQueryOf(flags), limits), {
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
  await withService(context, async (service) => {
    const pieces = exportDeliveries(service, deliveryQueryOf(flags), {
      format,
      signal: interrupts.first,
      onPage: (page) => {
        pages = page.page;
        records = page.recordsSoFar;
      },
    });
    if (output === undefined) {
      for await (const piece of pieces) await terminal.remoteData(piece);
      terminal.note(`${counted(records, pages)}.`);
      return;
    }
    const { path: file, bytes } = await writeOutputFile({ cwd, path: output }, pieces);
    await terminal.answer(
      { file, format, records, pages, bytes },
      `${counted(records, pages)} written to ${file}.\n`,
    );
  });
}

function counted(records: number, pages: number): string {
  return `${records} delivery record${records === 1 ? '' : 's'} in ${pages} page${pages === 1 ? '' : 's'}`;
}
