import type { Window } from '../period/window';

/** Failed records that a reader was told of, by short names: what is found again before the next window is no news. */
export interface SeenRecords {
  readonly groups: readonly SeenGroup[];
  /** False where not all of them could be named: then late records cannot be told from those that were reported. */
  readonly complete: boolean;
}

/** Records that were sent before `until`, ISO 8601. */
export interface SeenGroup {
  readonly until: string;
  readonly ids: readonly string[];
}

/** The range before a window in which late records are looked for: not before `since`, where the first report began. Undefined: it is empty. */
export function overlapBefore(from: string, overlapMs: number, since: string): Window | undefined {
  const begin = Math.max(Date.parse(from) - overlapMs, Date.parse(since));
  return begin < Date.parse(from) ? { from: new Date(begin).toISOString(), to: from } : undefined;
}

/** Those of the ids that nobody was told of, each once. */
export function unseen(ids: readonly string[], { groups }: SeenRecords): string[] {
  const known = new Set(groups.flatMap((group) => group.ids));
  return [...new Set(ids)].filter((id) => !known.has(id));
}

export interface ReadWindow {
  readonly window: Window;
  /** Of its failed records, at least those of its last `overlapMs`. */
  readonly ids: readonly string[];
  /** Late records that were reported with it. */
  readonly late: readonly string[];
  readonly overlapMs: number;
  /** Whether all of both were read. */
  readonly complete: boolean;
}

/** What is known once the window was delivered: only what the overlap before the next window can reach is kept. */
export function seenAfter(before: SeenRecords | undefined, read: ReadWindow): SeenRecords {
  const { window, overlapMs } = read;
  const reach = Date.parse(window.to) - overlapMs;
  const groups = [
    ...(before?.groups ?? []),
    { until: window.from, ids: read.late },
    { until: window.to, ids: [...new Set(read.ids)] },
  ];
  const reachesBack = Date.parse(window.from) > reach;
  return {
    groups: groups.filter(({ until, ids }) => Date.parse(until) > reach && ids.length > 0),
    complete: read.complete && (!reachesBack || before?.complete !== false),
  };
}
