import { MediaServiceError } from '../../api/errors';
import { cursorAt } from './cursor';
import type { Cursor } from './cursor';

/** [from, to), epoch ms. */
export interface TimePeriod {
  readonly from: number;
  readonly to: number;
}

export interface FoundItem<T> {
  /** The same for the same item. Short, because it is stored. */
  readonly id: string;
  /** When the item was sent, epoch ms, if known. */
  readonly at?: number | undefined;
  readonly value: T;
}

interface PollResult<T> {
  /** Each item once, in the service's order. */
  readonly found: readonly FoundItem<T>[];
  /** The service's clock, epoch ms, if the answer contained it. */
  readonly serviceNow?: number;
}

/** Items that can be queried by the time when they were sent. */
export interface PeriodSource<T> {
  /** All items of the period, or `tooMany` as soon as it finds more than `maxItems`. Rejects when `signal` aborts. */
  read(period: TimePeriod, maxItems: number, signal: AbortSignal): Promise<PollResult<T> | 'tooMany'>;
}

export interface PollLimits {
  /** How late an item may arrive and still be found, ms. */
  readonly overlapMs: number;
  /** Maximum number of remembered ids, besides those of a time that the service's clock has not reached. */
  readonly maxSeen: number;
  /** Approximate maximum number of items per poll. It returns more only if they were sent in the same millisecond. */
  readonly maxNewItems: number;
  /** Our own clock, epoch ms. */
  readonly now: () => number;
  /** Aborts when the poll must end. */
  readonly signal: AbortSignal;
}

export interface NewItem<T> extends FoundItem<T> {
  /** The item was sent in a period that had been read already. */
  readonly late: boolean;
}

export interface NewItems<T> {
  readonly cursor: Cursor;
  /** In the order of sending, if every item has a time. */
  readonly items: readonly NewItem<T>[];
}

/**
 * Reads the new items since the cursor. If there are more than one poll may return, it narrows the period, and the next
 * poll continues from there. On failure it rejects, and the cursor does not change.
 */
export async function pollPeriod<T>(
  source: PeriodSource<T>,
  cursor: Cursor,
  limits: PollLimits,
): Promise<NewItems<T>> {
  const { upTo, from, seen, skewMs } = cursor;
  const maxItems = limits.maxNewItems + Object.keys(seen).length;
  const present = Math.max(limits.now() + skewMs, upTo + 1);
  for (let to = present; ; to = upTo + Math.floor((to - upTo) / 2)) {
    const isNarrowest = to - upTo <= 1;
    const period = { from, to };
    const read = await source
      .read(period, isNarrowest ? Number.POSITIVE_INFINITY : maxItems, limits.signal)
      .catch((error: unknown) => Promise.reject(limits.signal.aborted ? tooSlow() : error));
    if (read === 'tooMany') continue;
    const newItems = newItemsOf(cursor, read, { ...limits, to });
    const isEmpty = to < present && newItems.items.length === 0 && newItems.cursor.upTo > upTo;
    return isEmpty ? pollPeriod(source, newItems.cursor, limits) : newItems;
  }
}

/**
 * The cursor of a trigger that starts now: what was sent within the overlap counts as seen. If our clock is wrong, reads
 * again with the service's.
 */
export async function startNow<T>(source: PeriodSource<T>, limits: PollLimits): Promise<Cursor> {
  const noteExisting = async (skewMs: number): Promise<Cursor> => {
    const begin = cursorAt(limits.now() + skewMs - limits.overlapMs, skewMs);
    return (await pollPeriod(source, begin, { ...limits, maxNewItems: limits.maxSeen })).cursor;
  };
  const cursor = await noteExisting(0);
  return cursor.skewMs === 0 ? cursor : noteExisting(cursor.skewMs);
}

function newItemsOf<T>(
  cursor: Cursor,
  { found, serviceNow }: PollResult<T>,
  { to, overlapMs, maxSeen, now }: PollLimits & { readonly to: number },
): NewItems<T> {
  const items = found
    .filter(({ id }) => !Object.hasOwn(cursor.seen, id))
    .map((item) => ({ ...item, late: item.at !== undefined && item.at < cursor.upTo }));
  if (items.every(({ at }) => at !== undefined)) items.sort((a, b) => (a.at ?? 0) - (b.at ?? 0));
  const upTo = Math.max(cursor.upTo, Math.min(to, serviceNow ?? to));
  const skewMs = serviceNow === undefined ? cursor.skewMs : skewOf(serviceNow - now());
  const all = [...Object.entries(cursor.seen), ...items.map(({ id }) => [id, to] as const)];
  const since = (from: number): Cursor => ({
    upTo,
    from,
    seen: Object.fromEntries(all.filter(([, until]) => until > from)),
    skewMs,
  });
  const next = since(Math.max(cursor.from, upTo - overlapMs));
  // Late items are given up rather than repeated.
  return { items, cursor: Object.keys(next.seen).length > maxSeen ? since(upTo) : next };
}

/** Clocks in headers have whole seconds, and the answer took some time to arrive. */
const CLOCK_GRAIN_MS = 2_000;

function skewOf(skewMs: number): number {
  return Math.abs(skewMs) <= CLOCK_GRAIN_MS ? 0 : skewMs;
}

function tooSlow(): MediaServiceError {
  return new MediaServiceError('ServiceFailed', 'The service answers too slowly for one poll', {
    hint: 'Lower "Overlap" in the options of the trigger, or narrow its filters, so that a poll reads fewer records.',
  });
}
