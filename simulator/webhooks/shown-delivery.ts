import { createHash } from 'node:crypto';
import type { JsonRecord } from '../json';
import type { ShapeChoice } from '../shapes/shapes';
import type { Delivery } from './delivery';

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
export function shownDelivery(delivery: Delivery, shapes: ShapeChoice): JsonRecord & ShownDelivery {
  const form = FORMS[shapes.among(Object.keys(FORMS))];
  const { sentAt } = delivery;
  const id = shapes.has('delivery-ids-64-bit') ? longId(delivery.id) : delivery.id;
  return { ...delivery, id, sentAt: form === undefined ? sentAt : form(Date.parse(sentAt), sentAt) };
}

export type ShownDelivery = Omit<Delivery, 'sentAt'> & { readonly sentAt: string | number };
