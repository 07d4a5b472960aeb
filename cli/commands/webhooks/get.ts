import type { Command } from 'commander';
import { eachDelivery, searchDeliveries } from '../../../api/webhooks/delivery-search';
import type { Service } from '../../../api/service/service';
import { withService } from '../../context';
import type { CliContext } from '../../context';
import { deliveryQueryOf, withDeliveryFlags } from '../../flags/delivery-flags';
import type { DeliveryFlags } from '../../flags/delivery-flags';
import { addHelp } from '../../command-help';
import { whileSlow } from '../../output/while-slow';
import { withPageFlags } from '../../flags/page-flags';
import type { PageFlags } from '../../flags/page-flags';
import { printRecords } from '../../output/print-records';
import type { Records } from '../../output/print-records';

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
  const request = { ...(flags.size === undefined ? {} : { size: flags.size }), signal: interrupts.first };
  const recordsOf = (service: Service): Records => ({
    page: (which) => searchDeliveries(service, query, { ...request, ...which }),
    each: (limits) => eachDelivery(service, query, { ...request, ...limits }),
  });
  await withService(context, (service) =>
    whileSlow(context, view, () => printRecords(terminal, recordsOf(service), { ...view, flags })),
  );
}
