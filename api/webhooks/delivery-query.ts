import { ValidationError } from '../errors';
import { parseWhen } from '../when';
import type { QueryEntry } from '../pages/query-string';

export const DELIVERY_STATUSES = ['FAILED', 'SUCCESS'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Which webhook deliveries: those sent in [from, to). api.md, "GET {base_url}/api/webhook/search". */
export interface DeliveryQuery {
  /** As `parseWhen` reads it. */
  readonly from: string;
  /** Exclusive; as `parseWhen` reads it. Default `now`. */
  readonly to?: string;
  /** IANA zone of dates that name none. Default UTC. */
  readonly zone?: string;
  /** Default: both. */
  readonly status?: readonly DeliveryStatus[];
  readonly mediaId?: string;
  /** Default: all sub-accounts of the account. */
  readonly subAccountId?: string;
}

/** A query whose range does not move while it is paged. */
export interface ResolvedDeliveryQuery extends DeliveryQuery {
  readonly to: string;
}

/**
 * The query with `from` and `to` as ISO in UTC. Resolving it again changes nothing. Throws a `ValidationError` that names the
 * field: a date that is none, a range that is empty or runs backwards, an unknown status, an empty id.
 */
export function resolveQuery(query: DeliveryQuery, now: number): ResolvedDeliveryQuery {
  const zone = query.zone === undefined ? {} : { zone: query.zone };
  const from = parseWhen(query.from, { now, ...zone, field: 'from' });
  const to = parseWhen(query.to ?? 'now', { now, ...zone, field: 'to' });
  if (Date.parse(from) >= Date.parse(to)) {
    throw new ValidationError(
      'from',
      from === to ? `from and to are both ${from}, an empty range` : `from (${from}) is after to (${to})`,
      'The range ends just before `to`: for one whole day give the next day as `to`.',
    );
  }
  for (const status of query.status ?? []) {
    if (!DELIVERY_STATUSES.includes(status)) {
      throw new ValidationError('status', `status is none of ${DELIVERY_STATUSES.join(', ')}`);
    }
  }
  for (const field of ['mediaId', 'subAccountId'] as const) {
    if (query[field]?.trim() === '')
      throw new ValidationError(field, `${field} is empty`, 'Leave it out to get all.');
  }
  return { ...query, from, to };
}

/** The query's parameters; `to` is sent as the last millisecond inside the range, since the service's end is taken as inclusive. */
export function deliveryParameters(query: ResolvedDeliveryQuery): QueryEntry[] {
  return [
    ['from', query.from],
    ['to', new Date(Date.parse(query.to) - 1).toISOString()],
    ...[...new Set(query.status ?? [])].map((status): QueryEntry => ['status', status]),
    ['mediaId', query.mediaId],
    ['subAccountId', query.subAccountId],
  ];
}
