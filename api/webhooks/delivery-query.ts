import { DateTime } from 'luxon';
import { wrongField } from '../errors';
import { checkOptions } from '../options/option';
import type { OptionValues } from '../options/option';
import { DELIVERY_OPTIONS } from '../options/search-options';
import type { DELIVERY_STATUSES } from '../options/search-options';
import { parseWhen } from '../when';
import type { QueryEntry } from '../service/encoded';

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * Selects webhook deliveries sent in [from, to), see `DELIVERY_OPTIONS`. `parseWhen` reads both; `to` is `now` by
 * default, and `zone` UTC. api.md, "GET {base_url}/api/webhook/search".
 */
export interface DeliveryQuery extends Omit<OptionValues<typeof DELIVERY_OPTIONS>, 'period' | 'from'> {
  readonly from: string;
}

/** A query whose range stays fixed during paging. */
export interface ResolvedDeliveryQuery extends DeliveryQuery {
  readonly to: string;
}

/**
 * Returns the query with `from` and `to` as ISO in UTC. Resolving it again changes nothing. Throws a `ValidationError`
 * that names the field: an invalid date, an empty or reversed range, an unknown status, an empty id.
 */
export function resolveQuery(query: DeliveryQuery, now: number): ResolvedDeliveryQuery {
  const zone = query.zone === undefined ? {} : { zone: query.zone };
  const from = parseWhen(query.from, { now, ...zone, field: 'from' });
  const end = parseWhen(query.to ?? 'now', { now, ...zone, field: 'to' });
  const to = end === from && query.to !== undefined ? endOfDay(from, query.zone) : end;
  if (Date.parse(from) >= Date.parse(to)) {
    throw wrongField(
      'from',
      `must be before the end of the period (${inZone(to, query.zone)}), but is ${inZone(from, query.zone)}`,
      'The end itself is not included. For one whole day, use that day as start and end.',
    );
  }
  checkOptions(DELIVERY_OPTIONS, query, '');
  for (const field of ['mediaId', 'subAccountId'] as const) {
    if (query[field]?.trim() === '') throw wrongField(field, 'is empty', 'Omit it to get all.');
  }
  return { ...query, from, to };
}

/** Returns the end of a day that begins at this moment, else the moment: a single day in a period is that day. */
function endOfDay(iso: string, zone = 'utc'): string {
  const begin = DateTime.fromISO(iso, { zone });
  if (begin.toMillis() !== begin.startOf('day').toMillis()) return iso;
  return begin.plus({ days: 1 }).startOf('day').toUTC().toISO() ?? iso;
}

/** As a person of the zone writes it, because that is what was entered. */
function inZone(iso: string, zone = 'utc'): string {
  return DateTime.fromISO(iso, { zone }).toISO({ suppressMilliseconds: true, suppressSeconds: true }) ?? iso;
}

/**
 * Returns the query's parameters. `to` is sent as the last millisecond inside the range, because the service's end is
 * assumed to be inclusive.
 */
export function deliveryParameters(query: ResolvedDeliveryQuery): QueryEntry[] {
  return [
    ['from', query.from],
    ['to', new Date(Date.parse(query.to) - 1).toISOString()],
    ...[...new Set(query.status ?? [])].map((status): QueryEntry => ['status', status]),
    ['mediaId', query.mediaId],
    ['subAccountId', query.subAccountId],
  ];
}
