import type { Command } from 'commander';
import { DELIVERY_STATUSES } from '../../api/webhooks/delivery-query';
import type { DeliveryQuery, DeliveryStatus } from '../../api/webhooks/delivery-query';
import { given } from '../../api/json';
import { collect, wordOf } from './option-values';

export interface DeliveryFlags {
  readonly from: string;
  readonly to?: string;
  readonly timezone?: string;
  readonly status?: readonly DeliveryStatus[];
  readonly mediaId?: string;
  readonly subAccount?: string;
}

/** The flags that select webhook deliveries. */
export function withDeliveryFlags(command: Command): Command {
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

export function deliveryQueryOf(flags: DeliveryFlags): DeliveryQuery {
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
