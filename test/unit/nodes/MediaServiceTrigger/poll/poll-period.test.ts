import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  cursorAt,
  cursorJson,
  readCursor,
  seenCount,
} from '../../../../../nodes/MediaServiceTrigger/poll/cursor';
import type { Cursor } from '../../../../../nodes/MediaServiceTrigger/poll/cursor';
import { pollPeriods, startNow } from '../../../../../nodes/MediaServiceTrigger/poll/poll-period';
import type { PollLimits, PeriodSource } from '../../../../../nodes/MediaServiceTrigger/poll/poll-period';
import type { NewItem } from '../../../../../nodes/MediaServiceTrigger/poll/new-items';
import { StoredService, type SentRecord, type Weather } from './stored-service';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const OVERLAP_MS = 15 * MINUTE_MS;
const BEGIN = Date.parse('2026-11-01T06:00:00.250Z');

type Step =
  | { readonly kind: 'send'; readonly records: readonly { afterMs: number; lateMs: number }[] }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'poll'; readonly weather: Weather }
  | { readonly kind: 'restart' };

interface Run {
  readonly steps: readonly Step[];
  /** Our clock minus the service's, ms. */
  readonly aheadMs: number;
  readonly dates: boolean;
  readonly totals: boolean;
  readonly descending: boolean;
  readonly maxSeen: number;
  readonly maxNewItems: number;
  readonly startAt: number | undefined;
}

/** Plays the run, then polls until nothing more can come. */
async function play(run: Run): Promise<{
  readonly expected: readonly string[];
  readonly polls: readonly (readonly NewItem<string>[])[];
  readonly cursors: readonly Cursor[];
  readonly sentAtOf: (id: string) => number;
}> {
  const time = { now: BEGIN };
  const service = new StoredService(time, { ...run, pageSize: 3 });
  const polls: (readonly NewItem<string>[])[] = [];
  const cursors: Cursor[] = [];
  const sent: SentRecord[] = [];
  const limits = (signal: AbortSignal): PollLimits => ({
    overlapMs: OVERLAP_MS,
    maxSeen: run.maxSeen,
    maxNewItems: run.maxNewItems,
    now: () => time.now + run.aheadMs,
    signal,
  });
  service.records.push(
    ...[2 * HOUR_MS, 40 * MINUTE_MS, 10 * MINUTE_MS, 1000].map((ago, index) => ({
      id: `before-${index}`,
      sentAt: BEGIN - ago,
      visibleAt: BEGIN - ago,
    })),
  );
  const before = [...service.records];
  let cursor =
    run.startAt === undefined
      ? await startNow(service.source(), limits(service.begin({ pageMs: 0 })))
      : cursorAt(run.startAt);

  const poll = async (weather: Weather): Promise<void> => {
    const signal = service.begin(weather);
    const newItems = await pollPeriods(service.source(), cursor, limits(signal)).catch(() => undefined);
    if (newItems === undefined) return;
    cursor = newItems.cursor;
    polls.push(newItems.items);
    newItems.items.forEach(({ id }) => service.came.add(id));
    cursors.push(newItems.cursor);
  };
  for (const step of run.steps) {
    if (step.kind === 'send') {
      for (const { afterMs, lateMs } of step.records) {
        const sentAt = time.now + afterMs;
        sent.push({ id: `r${sent.length}`, sentAt, visibleAt: sentAt + lateMs });
      }
      service.records.push(...sent.slice(-step.records.length));
    }
    if (step.kind === 'pass') time.now += step.ms;
    if (step.kind === 'poll') await poll(step.weather);
    if (step.kind === 'restart') {
      const stored: unknown = JSON.parse(JSON.stringify(cursorJson(cursor)));
      cursor = readCursor(stored) ?? cursorAt(0);
    }
  }
  time.now += 2 * HOUR_MS;
  for (let quiet = 0; quiet < 3;) {
    const soFar = polls.length;
    await poll({ pageMs: 0 });
    time.now += MINUTE_MS;
    quiet = (polls[soFar] ?? []).length === 0 && cursor.spanMs === undefined ? quiet + 1 : 0;
  }
  const startAt = run.startAt ?? Number.POSITIVE_INFINITY;
  const expected = [...before.filter(({ sentAt }) => sentAt >= startAt), ...sent].map(({ id }) => id);
  const times = new Map([...before, ...sent].map(({ id, sentAt }) => [id, sentAt]));
  return { expected, polls, cursors, sentAtOf: (id) => times.get(id) ?? 0 };
}

const weather = fc.record(
  {
    pageMs: fc.constantFrom(0, 0, 700, 20_000),
    failsAt: fc.integer({ min: 1, max: 6 }),
    slowAbove: fc.integer({ min: 2, max: 40 }),
    forgets: fc.boolean(),
  },
  { requiredKeys: ['pageMs'] },
);
const stepsOf = (maxLateMs: number): fc.Arbitrary<Step[]> => {
  const lateMs = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: maxLateMs }));
  const record = fc.record({ afterMs: fc.constantFrom(0, 0, 0, 1, 500, 30_000), lateMs });
  const send = fc
    .oneof(
      { weight: 4, arbitrary: fc.array(record, { minLength: 1, maxLength: 6 }) },
      { weight: 1, arbitrary: fc.array(record, { minLength: 20, maxLength: 60 }) },
      {
        weight: 1,
        arbitrary: fc.array(fc.constant({ afterMs: 0, lateMs: 0 }), { minLength: 9, maxLength: 20 }),
      },
    )
    .map((records): Step => ({ kind: 'send', records }));
  const pass = fc
    .constantFrom(1, 999, 10_000, MINUTE_MS, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS)
    .map((ms): Step => ({ kind: 'pass', ms }));
  const poll = fc
    .oneof(fc.constant({ pageMs: 0 }), weather)
    .map((one): Step => ({ kind: 'poll', weather: one }));
  return fc.array(fc.oneof(send, pass, poll, poll, fc.constant<Step>({ kind: 'restart' })), {
    maxLength: 40,
  });
};
const ANY_RUN = {
  aheadMs: fc.constantFrom(0, 0, -400, 7_000, HOUR_MS, -HOUR_MS, 30 * 24 * HOUR_MS),
  dates: fc.constant(true),
  totals: fc.boolean(),
  descending: fc.boolean(),
  maxSeen: fc.constant(100_000),
  maxNewItems: fc.constantFrom(5, 1000),
  startAt: fc.constant(BEGIN - HOUR_MS),
};

function expectOnceEach({ expected, polls }: Awaited<ReturnType<typeof play>>): void {
  const came = polls.flatMap((items) => items.map(({ value }) => value));
  expect(came.sort()).toEqual([...expected].sort());
}

describe('polling by time', () => {
  test('returns everything exactly once, in sending order within a poll, and marks late items', async () => {
    const run = fc.record({
      ...ANY_RUN,
      steps: stepsOf(OVERLAP_MS - 1),
      startAt: fc.constantFrom(undefined, undefined, BEGIN - HOUR_MS),
    });
    await fc.assert(
      fc.asyncProperty(run, async (one) => {
        const played = await play(one);
        expectOnceEach(played);
        const { polls, sentAtOf } = played;
        for (const items of polls) {
          const times = items.map(({ value }) => sentAtOf(value));
          expect(times).toEqual([...times].sort((a, b) => a - b));
        }
      }),
      { numRuns: 250 },
    );
  });

  test('works without a date in the answers while our clock is off by less than the overlap', async () => {
    // Polls at the same time each read a millisecond further.
    const maxSkewMs = OVERLAP_MS - 1_000;
    const wrongBy = fc.oneof(
      fc.constantFrom(0, -400, -maxSkewMs, maxSkewMs),
      fc.integer({ min: -maxSkewMs, max: maxSkewMs }),
    );
    // A clock that is ahead uses up that much of the overlap.
    const run = wrongBy.chain((aheadMs) =>
      fc.record({
        ...ANY_RUN,
        steps: stepsOf(maxSkewMs - Math.max(0, aheadMs)),
        aheadMs: fc.constant(aheadMs),
        dates: fc.constant(false),
      }),
    );
    await fc.assert(
      fc.asyncProperty(run, async (one) => expectOnceEach(await play(one))),
      { numRuns: 250 },
    );
  });

  test('remembers a bounded amount; beyond that only late items may be missed, and nothing comes twice', async () => {
    const limits = { maxSeen: fc.constant(8), maxNewItems: fc.constant(5) };
    const run = fc.record({ ...ANY_RUN, ...limits, steps: stepsOf(0) });
    await fc.assert(
      fc.asyncProperty(run, async (one) => {
        const played = await play(one);
        expectOnceEach(played);
        const { cursors } = played;
        for (const cursor of cursors) {
          // The newest reading is kept whole, and so are items of a second that has not ended.
          const open = cursor.seen.findIndex(({ until }) => until > cursor.upTo);
          const settled = cursor.seen.slice(0, open === -1 ? -1 : Math.min(open, cursor.seen.length - 1));
          expect(seenCount({ ...cursor, seen: settled })).toBeLessThanOrEqual(8);
        }
      }),
      { numRuns: 80 },
    );
  });
});

const limitsAt = (now: number, maxNewItems: number): PollLimits => ({
  overlapMs: OVERLAP_MS,
  maxSeen: 1000,
  maxNewItems,
  now: () => now,
  signal: new AbortController().signal,
});

test('items that the first poll skipped never come as new', async () => {
  const item = (id: string): { id: string; at: number; value: string } => ({
    id,
    at: BEGIN - MINUTE_MS,
    value: id,
  });
  let readings = 0;
  const source: PeriodSource<string> = {
    read: () => {
      readings += 1;
      const found = readings === 1 ? [item('a')] : [item('b')];
      return Promise.resolve({ found, complete: readings > 1, serviceNow: BEGIN });
    },
  };
  const cursor = await startNow(source, limitsAt(BEGIN, 20));
  expect(cursor.seen.flatMap(({ ids }) => ids).sort()).toEqual(['a', 'b']);
  expect(readings).toBe(2);
});

describe('after a burst, which leaves a narrow period,', () => {
  const MAX_RECORDS = 10;
  const FIRST = BEGIN - 10 * HOUR_MS;

  interface Gap {
    readonly everyMs?: number;
    /** The number of the reading (from 1) that uses up the time of the poll. */
    readonly endsAt?: number;
    readonly failsAt?: number;
  }

  /** Items of ten hours. The first period covers a minute. */
  async function pollGap({ everyMs = MINUTE_MS, endsAt, failsAt }: Gap): Promise<{
    readonly came: readonly number[];
    readonly cursor: Cursor;
    readonly readings: number;
  }> {
    const budget = new AbortController();
    const things = Array.from({ length: (10 * HOUR_MS) / everyMs }, (_, index) => FIRST + index * everyMs);
    let readings = 0;
    const source: PeriodSource<number> = {
      read({ from, to }, maxItems) {
        const found = things
          .filter((at) => at >= from && at < to)
          .map((at) => ({ id: String(at), at, value: at }));
        if (found.length > maxItems) return Promise.resolve('tooMany');
        readings += 1;
        if (readings === failsAt) return Promise.reject(new Error('The service is down.'));
        if (readings === endsAt) budget.abort();
        return Promise.resolve({ found, complete: true, serviceNow: BEGIN });
      },
    };
    const limits = { ...limitsAt(BEGIN, MAX_RECORDS), signal: budget.signal };
    const start = { ...cursorAt(FIRST), spanMs: MINUTE_MS };
    const { items, cursor } = await pollPeriods(source, start, limits);
    return { came: items.map(({ value }) => value), cursor, readings };
  }

  test('one poll reads on to the present', async () => {
    const { came, cursor } = await pollGap({ everyMs: 2 * HOUR_MS });
    expect(came).toHaveLength(5);
    expect(cursor).toMatchObject({ upTo: BEGIN });
    expect(cursor.spanMs).toBeUndefined();
  });

  test('one poll returns most of its maximum, in order, and never more', async () => {
    const { came, cursor, readings } = await pollGap({});
    expect(readings).toBeGreaterThan(2);
    expect(came.length).toBeGreaterThan(MAX_RECORDS / 2);
    expect(came.length).toBeLessThanOrEqual(MAX_RECORDS);
    expect(came).toEqual(came.map((_, index) => FIRST + index * MINUTE_MS));
    expect(cursor.upTo).toBe((came.at(-1) ?? 0) + MINUTE_MS);
  });

  test('the next poll continues when the time of this one is over', async () => {
    const { came, readings } = await pollGap({ endsAt: 2 });
    expect([readings, came.length]).toEqual([2, 3]);
  });

  test('items read before the service failed count, but a first poll that fails rejects', async () => {
    expect((await pollGap({ failsAt: 3 })).came).toHaveLength(3);
    await expect(pollGap({ failsAt: 1 })).rejects.toThrow('The service is down.');
  });
});
