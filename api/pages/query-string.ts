import { encoded } from '../service/encoded';

export type QueryEntry = readonly [name: string, value: string | number | undefined];

/**
 * Returns `?a=1&b=2`, percent-encoded (a space as %20), in the given order, without undefined values. An empty query is
 * ''. Throws as `encoded` does.
 */
export function queryString(entries: readonly QueryEntry[]): string {
  const parts = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encoded(name, String(value))}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
