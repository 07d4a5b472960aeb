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

/** A delivery with its time in the chosen form ("Fields of a webhook delivery record: not shown"). */
export function shownDelivery(delivery: Delivery, shapes: ShapeChoice): JsonRecord & ShownDelivery {
  const form = FORMS[shapes.among(Object.keys(FORMS))];
  const { sentAt } = delivery;
  return { ...delivery, sentAt: form === undefined ? sentAt : form(Date.parse(sentAt), sentAt) };
}

export type ShownDelivery = Omit<Delivery, 'sentAt'> & { readonly sentAt: string | number };
