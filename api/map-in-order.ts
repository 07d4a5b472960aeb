/** Maps items, with at most `atOnce` running, and yields the results in the items' order. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = [];
  for await (const item of items) {
    const result = map(item);
    // It is awaited later. Until then its failure must not count as unhandled.
    result.catch(() => undefined);
    running.push(result);
    if (running.length < atOnce) continue;
    const [oldest] = running.splice(0, 1);
    if (oldest !== undefined) yield await oldest;
  }
  for (const result of running) yield await result;
}

/** Maps all items in the same way. Rejects with the failure of the first item that failed, in the items' order. */
export async function mapAll<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for await (const result of mapInOrder(items, atOnce, map)) results.push(result);
  return results;
}
