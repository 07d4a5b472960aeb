import { refuseUnless } from '../http/answer';
import type { MediaItem } from './media-item';

const PROPERTIES = [
  'id',
  'title',
  'type',
  'fileType',
  'creator',
  'duration',
  'createdAt',
  'updatedAt',
  'isLibrary',
  'isActive',
] as const;
type Property = (typeof PROPERTIES)[number];

/** What may follow a property, each word after a separator. */
const ORDERS = ['', ',ASC', ',DESC', ',IGNORECASE', ',ASC,IGNORECASE', ',DESC,IGNORECASE'];

interface SortRule {
  readonly property: Property;
  readonly sign: 1 | -1;
  readonly ignoreCase: boolean;
}

/**
 * A comparison by the `sort` parameters in their order: "Property name followed by an optional direction ASC or DESC
 * and optional IgnoreCase". Ascending and case-sensitive by default. Missing values come last.
 * @throws Refusal 400.
 */
export function mediaOrder(
  parameters: readonly string[],
  separator: ',' | ' ',
): (a: MediaItem, b: MediaItem) => number {
  const rules = parameters.map((text) => sortRule(text, separator));
  return (a, b) => rules.map((rule) => compare(a, b, rule)).find((order) => order !== 0) ?? 0;
}

function sortRule(text: string, separator: string): SortRule {
  const [name = '', ...rest] = text.split(separator).map((piece) => piece.trim());
  const property = PROPERTIES.find((known) => known === name);
  refuseUnless(property !== undefined, `sort: there is no property "${name}".`);
  const order = rest.map((word) => `,${word.toUpperCase()}`).join('');
  refuseUnless(ORDERS.includes(order), `sort: "${text}" is not property, direction, IgnoreCase.`);
  return { property, sign: order.startsWith(',DESC') ? -1 : 1, ignoreCase: order.endsWith('IGNORECASE') };
}

function compare(a: MediaItem, b: MediaItem, { property, sign, ignoreCase }: SortRule): number {
  const [left, right] = [a[property], b[property]];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
  const [x, y] = [String(left), String(right)].map((text) => (ignoreCase ? text.toLowerCase() : text));
  if (x === undefined || y === undefined || x === y) return 0;
  return x < y ? -sign : sign;
}
