import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import { type ShapeChoice, chosenOf } from '../shapes/shapes';

/**
 * A webhook delivery record ("Fields of a webhook delivery record: not shown"). Its fields are also the columns of the
 * CSV, in this order.
 */
export interface Delivery {
  readonly id: string;
  readonly eventType: string;
  readonly mediaId: string;
  readonly subAccountId: string;
  readonly status: 'FAILED' | 'SUCCESS';
  readonly httpStatus: number | null;
  readonly targetUrl: string;
  readonly attempt: number;
  readonly durationMs: number;
  readonly message: string;
  /** ISO 8601. */
  readonly sentAt: string;
}

const DELIVERY_COLUMNS = [
  'id',
  'eventType',
  'mediaId',
  'subAccountId',
  'status',
  'httpStatus',
  'targetUrl',
  'attempt',
  'durationMs',
  'message',
  'sentAt',
] as const satisfies readonly (keyof Delivery)[];

type Form = (ms: number, iso: string) => string | number;

const FORMS: Readonly<Record<string, Form>> = {
  'times-iso': (_ms, iso) => iso,
  'times-offset': (ms) => `${new Date(ms + 3_600_000).toISOString().slice(0, -1)}+01:00`,
  'times-no-zone': (ms) => new Date(ms).toISOString().slice(0, -1),
  'times-epoch-ms': (ms) => ms,
  'times-epoch-s': (ms) => ms / 1000,
};

/** An id of 64 bits: the given one if it consists of digits, else one that differs from others in its last digits. */
function longId(id: string): string {
  if (/^\d+$/.test(id)) return id;
  const digits = createHash('sha256').update(id).digest().readUInt32BE() % 100_000;
  return `76159173374952${String(digits).padStart(5, '0')}`;
}

/** JSON with ids of digits as numbers, which JavaScript's own can't hold. */
export function withLongIds(json: string): string {
  return json.replace(/"(id|mediaId)":"(\d+)"/g, '"$1":$2');
}

/** A delivery with time and id in the chosen form ("Fields of a webhook delivery record: not shown"). */
export function shownDelivery(delivery: Delivery, shapes: ShapeChoice) {
  const { sentAt } = delivery;
  const id = shapes.has('delivery-ids-64-bit') ? longId(delivery.id) : delivery.id;
  return { ...delivery, id, sentAt: chosenOf(FORMS, shapes)?.(Date.parse(sentAt), sentAt) ?? sentAt };
}

type ShownDelivery = ReturnType<typeof shownDelivery>;

/** One page as CSV (RFC 4180 quoting). `isFirst`: the first page of the search. */
export function deliveryCsv(
  deliveries: readonly ShownDelivery[],
  isFirst: boolean,
  shapes: ShapeChoice,
): string {
  const idHeader = !isFirst && shapes.has('csv-header-changes') ? 'deliveryId' : 'id';
  const text = stringify([...deliveries], {
    columns: DELIVERY_COLUMNS.map((key) => ({ key, header: key === 'id' ? idHeader : key })),
    header: !shapes.has('csv-header-never') && (isFirst || !shapes.has('csv-header-first')),
    record_delimiter: shapes.has('csv-crlf') ? 'windows' : 'unix',
    quoted_match: /[\r\n]/,
    eof: !shapes.has('csv-no-final-newline'),
  });
  const quoted = shapes.has('csv-quotes-stray') ? text.replaceAll('""', '"') : text;
  return `${shapes.has('csv-bom') ? '\uFEFF' : ''}${quoted}`;
}
