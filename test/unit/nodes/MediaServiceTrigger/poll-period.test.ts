import fc from 'fast-check';
import { cursorAt, readCursor } from '../../../../nodes/MediaServiceTrigger/cursor';
import type { Cursor } from '../../../../nodes/MediaServiceTrigger/cursor';
import { pollPeriod, startNow } from '../../../../nodes/MediaServiceTrigger/poll-period';
import type { NewItem, PollLimits } from '../../../../nodes/MediaServiceTrigger/poll-period';
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
    const newItems = await pollPeriod(service.source(), cursor, limits(signal)).catch(() => undefined);
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
      const stored: unknown = JSON.parse(JSON.stringify(cursor));
      cursor = readCursor(stored) ?? cursorAt(0);
    }
  }
  time.now += 2 * HOUR_MS;
  for (let quiet = 0; quiet < 3;) {
    const soFar = polls.length;
    await poll({ pageMs: 0 });
    time.now += MINUTE_MS;
    quiet = (polls[soFar] ?? []).length === 0 ? quiet + 1 : 0;
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
        for (const { seen, upTo } of played.cursors) {
          // Items of a second that has not ended are kept.
          const settled = Object.values(seen).filter((until) => until <= upTo);
          expect(settled.length).toBeLessThanOrEqual(8);
        }
      }),
      { numRuns: 80 },
    );
  });
});
