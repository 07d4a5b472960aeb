/** Maps items with at most `atOnce` under way, and gives the results in the items' order. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  atOnce: number,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
  const running: Promise<Result>[] = [];
  for await (const item of items) {
    const result = map(item);
    // It is awaited in its turn; until then its failure is nobody's.
    result.catch(() => undefined);
    running.push(result);
    if (running.length < atOnce) continue;
    const [oldest] = running.splice(0, 1);
    if (oldest !== undefined) yield await oldest;
  }
  for (const result of running) yield await result;
}
