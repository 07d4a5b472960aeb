import { encoded } from '../service/encoded';

export type QueryEntry = readonly [name: string, value: string | number | undefined];

/** `?a=1&b=2`, percent-encoded (a blank as %20), in the order given; undefined values are left out, and an empty query is ''. Throws as `encoded`. */
export function queryString(entries: readonly QueryEntry[]): string {
  const parts = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encoded(name, String(value))}`],
  );
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}
