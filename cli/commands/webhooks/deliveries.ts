import type { Command } from 'commander';
import { DELIVERY_STATUSES } from '../../../api/webhooks/delivery-query';
import type { DeliveryQuery, DeliveryStatus } from '../../../api/webhooks/delivery-query';
import { given } from '../../../api/json';
import { collect, numberFrom, wordOf } from '../../flags/option-values';
import { eachDelivery, searchDeliveries } from '../../../api/webhooks/delivery-search';
import type { Service } from '../../../api/service/service';
import { withService } from '../../context';
import type { CliContext } from '../../context';
import { addHelp } from '../../command-help';
import { whileSlow } from '../../output/terminal';
import { printRecords, withPageFlags } from '../../output/print-records';
import type { PageFlags, Records } from '../../output/print-records';
import { ValidationError } from '../../../api/errors';
import { exportDeliveries } from '../../../api/webhooks/delivery-export';
import { withOutputFlags, writeOutputFile } from '../../output/output-file';
import type { OutputFlags } from '../../output/output-file';

interface DeliveryFlags {
  readonly from: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly status?: readonly DeliveryStatus[];
  readonly mediaId?: string;
  readonly subAccount?: string;
}

/** The flags that select webhook deliveries. */
function withDeliveryFlags(command: Command): Command {
  return command
    .requiredOption('--from <when>', 'start, required: 2026-11-01, -24h, yesterday, or an ISO time')
    .option('--to <when>', 'end, exclusive (default: now)')
    .option('--timezone <zone>', 'time zone of dates without one (default: UTC)')
    .option(
      '--status <status>',
      `${DELIVERY_STATUSES.join(' or ')}; repeatable (default: both)`,
      collect(wordOf(DELIVERY_STATUSES)),
    )
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

const VIEW = {
  columns: ['id', 'deliveryId', 'status', 'sentAt', 'createdAt', 'mediaId', 'subAccountId', 'event'],
  noun: 'delivery record',
};

interface GetFlags extends DeliveryFlags, PageFlags {
  readonly json?: boolean;
}

/** `media-service webhooks get`: api.md, "GET {base_url}/api/webhook/search". */
export function addWebhooksGet(webhooks: Command, context: CliContext): void {
  const command = withDeliveryFlags(
    webhooks.command('get').description('Show the webhook deliveries of a period.'),
  );
  withPageFlags(command, { noun: 'records', page: 'page number, as the service counts', minSize: 1 });
  addHelp(command, {
    output:
      'A table of the deliveries.\n' +
      '--json: one page is one document {"items":[…],"page","size","totalElements","totalPages"}; ' +
      'with --all or --limit one record per line.',
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK'],
    examples: [
      {
        says: 'What failed since yesterday',
        run: 'media-service webhooks get --from yesterday --status FAILED',
      },
      {
        says: 'Everything about one media item',
        run: 'media-service webhooks get --from -30d --media-id 4711 --all --json',
      },
    ],
  }).action((flags: GetFlags) => get(context, flags));
}

async function get(context: CliContext, flags: GetFlags): Promise<void> {
  const { terminal, interrupts } = context;
  const view = { ...VIEW, json: flags.json === true };
  const query = deliveryQueryOf(flags);
  const request = { ...given({ size: flags.size }), signal: interrupts.first };
  const recordsOf = (service: Service): Records => ({
    page: (which) => searchDeliveries(service, query, { ...request, ...which }),
    each: (limits) => eachDelivery(service, query, { ...request, ...limits }),
  });
  await withService(context, (service) =>
    whileSlow(context, view, () => printRecords(terminal, recordsOf(service), { ...view, flags })),
  );
}

interface ExportFlags extends DeliveryFlags, OutputFlags {
  readonly format: 'csv' | 'json' | 'jsonl';
  readonly size?: number;
  readonly json?: boolean;
}

/** `media-service webhooks export`: writes any number of deliveries as one CSV or JSON file. */
export function addWebhooksExport(webhooks: Command, context: CliContext): void {
  const command = withDeliveryFlags(
    webhooks.command('export').description('Write webhook deliveries as CSV or JSON.'),
  )
    .option(
      '--format <format>',
      'csv (as the service writes it), json (one array) or jsonl',
      wordOf(['csv', 'json', 'jsonl']),
      'csv',
    )
    .option('--size <n>', 'records per request, 1 to 1000', numberFrom(1, 1000));
  withOutputFlags(command);
  addHelp(command, {
    output:
      'The export on stdout or, with --output, the path of the file.\n' +
      '--json (with --output): {"file","format","records","pages","bytes"}',
    exits: ['CONFIGURATION', 'NOT_AUTHORIZED', 'SERVICE', 'NETWORK'],
    examples: [
      {
        says: 'Failed deliveries of one day, as CSV',
        run: 'media-service webhooks export --from 2026-11-01 --to 2026-11-02 --status FAILED -o failed.csv',
      },
      {
        says: 'Count by status',
        run: 'media-service webhooks export --from -7d --format jsonl | jq -r .status | sort | uniq -c',
      },
    ],
  }).action((flags: ExportFlags) => exportToOutput(context, flags));
}

async function exportToOutput(context: CliContext, flags: ExportFlags): Promise<void> {
  const { terminal, interrupts, cwd } = context;
  if (flags.json === true && flags.output === undefined && flags.format === 'csv') {
    throw new ValidationError(
      '--json',
      '--json prints the path of the file; without --output, stdout has the export itself, as CSV.',
      'For JSON records use --format json or --format jsonl; for the summary name a file with --output.',
    );
  }
  let records = 0;
  let pages = 0;
  const read = async (service: Service): Promise<void> => {
    const pieces = exportDeliveries(service, deliveryQueryOf(flags), {
      format: flags.format,
      ...given({ size: flags.size }),
      signal: interrupts.first,
      onPage: (page) => {
        pages = page.page;
        records = page.recordsSoFar;
      },
    });
    if (flags.output === undefined) {
      for await (const piece of pieces) await terminal.remoteData(piece);
      if (flags.json !== true) terminal.note(`${counted(records, pages)}.`);
      return;
    }
    const written = await writeOutputFile({ cwd, path: flags.output, replace: flags.force === true }, pieces);
    const summary = { file: written.path, format: flags.format, records, pages, bytes: written.bytes };
    if (flags.json === true) await terminal.json(summary);
    else await terminal.data(`${counted(records, pages)} written to ${written.path}.\n`);
  };
  const soFar = (): string => (pages === 0 ? '' : `${counted(records, pages)} so far`);
  await withService(context, (service) =>
    whileSlow(context, { json: flags.json === true, soFar }, () => read(service)),
  );
}

function counted(records: number, pages: number): string {
  return `${records} delivery record${records === 1 ? '' : 's'} in ${pages} page${pages === 1 ? '' : 's'}`;
}
