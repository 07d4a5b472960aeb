/** Many objects of one form. Shared fields are stored once, so that a history contains them once. */
export interface SharedFields<Item> {
  /** Each item without the fields in `shared`. */
  readonly items: readonly Partial<Item>[];
  /** Fields with the same value in every item. Unset: none. */
  readonly shared?: Partial<Item>;
}

/** Takes the shared fields out of the items. `wholeItems` puts them back. Items are JSON. */
export function shareFields<Item extends object>(items: readonly Item[]): SharedFields<Item> {
  const [first, ...others] = items;
  if (first === undefined || others.length === 0) return { items };
  const shared = Object.entries(first).filter(([name, value]) =>
    others.every((item) => isSame(item[name as keyof Item], value)),
  );
  const names = new Set(shared.map(([name]) => name));
  const own = (item: Item): Partial<Item> =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !names.has(name))) as Partial<Item>;
  return { items: items.map(own), shared: Object.fromEntries(shared) as Partial<Item> };
}

export function wholeItems<Item extends object>({ items, shared }: SharedFields<Item>): readonly Item[] {
  return items.map((item) => ({ ...shared, ...item }) as Item);
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return (
    typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other)
  );
}
