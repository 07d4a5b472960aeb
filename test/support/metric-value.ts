/** The value of one series of a page of metrics, or undefined if it is missing. */
export function metricValue(
  page: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = page
    .split('\n')
    .find((one) => /^[^{ ]+/.exec(one)?.[0] === name && wanted.every((label) => one.includes(label)));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}
