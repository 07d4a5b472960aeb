import type { ShapeChoice } from '../shapes/shapes';
import { DELIVERY_COLUMNS } from './delivery';
import type { ShownDelivery } from './shown-delivery';

/** One page as CSV (RFC 4180 quoting). `isFirst`: the first page of the search. */
export function deliveryCsv(
  deliveries: readonly ShownDelivery[],
  isFirst: boolean,
  shapes: ShapeChoice,
): string {
  const lineBreak = shapes.has('csv-crlf') ? '\r\n' : '\n';
  const lines = [...headerLine(isFirst, shapes), ...deliveries.map((one) => rowOf(one, shapes))];
  const end = shapes.has('csv-no-final-newline') || lines.length === 0 ? '' : lineBreak;
  return `${shapes.has('csv-bom') ? '\uFEFF' : ''}${lines.join(lineBreak)}${end}`;
}

function headerLine(isFirst: boolean, shapes: ShapeChoice): string[] {
  if (shapes.has('csv-header-never')) return [];
  if (!isFirst && shapes.has('csv-header-first')) return [];
  if (!isFirst && shapes.has('csv-header-changes')) {
    return [DELIVERY_COLUMNS.map((column) => (column === 'id' ? 'deliveryId' : column)).join(',')];
  }
  return [DELIVERY_COLUMNS.join(',')];
}

function rowOf(delivery: ShownDelivery, shapes: ShapeChoice): string {
  const quote = shapes.has('csv-quotes-stray') ? '"' : '""';
  return DELIVERY_COLUMNS.map((column) => cellOf(delivery[column], quote)).join(',');
}

function cellOf(value: string | number | null, quote: string): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', quote)}"` : text;
}
