import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { overlapBefore, seenAfter, unseen } from '../../../../reports/late/seen-records';
import type { SeenRecords } from '../../../../reports/late/seen-records';
import { nextWindow } from '../../../../reports/period/next-window';
import type { Window } from '../../../../reports/period/window';

const MINUTE_MS = 60_000;
const OVERLAP_MS = 600 * MINUTE_MS;

interface Failure {
  readonly id: string;
  readonly sentAt: number;
  /** From then on the service tells of it. */
  readonly shownAt: number;
}

interface Told {
  readonly id: string;
  readonly late: boolean;
}

/** What a reader is told in the course of the runs, by the same steps as the workflow's activities. */
function tell(failures: readonly Failure[], runs: readonly number[], lagMs: number): Told[] {
  const told: Told[] = [];
  let seen: SeenRecords | undefined;
  let deliveredTo: string | undefined;
  let since: string | undefined;
  for (const now of runs) {
    const read = ({ from, to }: Window): string[] =>
      failures
        .filter(
          ({ sentAt, shownAt }) => shownAt <= now && sentAt >= Date.parse(from) && sentAt < Date.parse(to),
        )
        .map(({ id }) => id);
    const window = nextWindow({ deliveredTo, now, lagMs, zone: 'UTC', cadence: { ms: 60 * MINUTE_MS } });
    if (window === undefined) continue;
    since ??= window.from;
    const range = seen === undefined ? undefined : overlapBefore(window.from, OVERLAP_MS, since);
    const late = range === undefined || seen === undefined ? [] : unseen(read(range), seen);
    const reach = Date.parse(window.to) - OVERLAP_MS;
    const ids = read(window);
    const kept = ids.filter((id) => failures.some((each) => each.id === id && each.sentAt >= reach));
    told.push(...ids.map((id) => ({ id, late: false })), ...late.map((id) => ({ id, late: true })));
    seen = seenAfter(seen, { window, ids: kept, late, overlapMs: OVERLAP_MS, complete: true });
    deliveredTo = window.to;
  }
  return told;
}

const START = Date.parse('2026-11-01T00:00:00Z');
const failures = fc
  .array(
    fc.record({
      sent: fc.integer({ min: -120, max: 3_000 }),
      delay: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 400 })),
    }),
    { maxLength: 60 },
  )
  .map((all) =>
    all.map(({ sent, delay }, index): Failure => {
      const sentAt = START + sent * MINUTE_MS;
      return { id: `delivery-${index}`, sentAt, shownAt: sentAt + delay * MINUTE_MS };
    }),
  );
/** Minutes between runs: at most as long as the overlap bears a delay of 400 minutes. */
const runs = fc
  .array(fc.integer({ min: 1, max: 190 }), { minLength: 1, maxLength: 60 })
  .map((gaps) =>
    gaps.reduce<number[]>((all, gap) => [...all, (all.at(-1) ?? START) + gap * MINUTE_MS], [START]),
  );

function byId(one: Told, other: Told): number {
  return one.id.localeCompare(other.id);
}

describe('failed records that a reader is told of', () => {
  it('come once each, however late they appear, and none is left out that the overlap reaches', () => {
    fc.assert(
      fc.property(failures, runs, fc.integer({ min: 0, max: 30 }), (all, times, lag) => {
        const lagMs = lag * MINUTE_MS;
        const told = tell(all, times, lagMs).sort(byId);
        const begun = START - lagMs - 60 * MINUTE_MS;
        const last = times.at(-1) ?? START;
        const due = all
          .filter(({ sentAt, shownAt }) => sentAt >= begun && sentAt < last - lagMs && shownAt <= last)
          .map(({ id, sentAt, shownAt }) => ({
            id,
            late: shownAt > Math.min(...times.filter((now) => sentAt < now - lagMs)),
          }));
        expect(told).toEqual(due.sort(byId));
      }),
      { numRuns: 300 },
    );
  });

  it('are named once each where they come twice', () => {
    const known = { groups: [{ until: '2026-11-01T00:00:00.000Z', ids: ['a'] }], complete: true };
    expect(unseen(['b', 'a', 'b', 'c', 'a'], known)).toEqual(['b', 'c']);
  });

  it('are not kept for longer than the overlap', () => {
    const before: SeenRecords = {
      groups: [{ until: '2026-11-01T00:00:00.000Z', ids: ['old'] }],
      complete: true,
    };
    const window = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' };
    const after = seenAfter(before, {
      window,
      ids: ['new'],
      late: ['late'],
      overlapMs: OVERLAP_MS,
      complete: true,
    });
    expect(after).toEqual({ groups: [{ until: window.to, ids: ['new'] }], complete: true });
  });

  it('cannot be told from late ones after a reading that was cut short, until a whole window lies between', () => {
    const hour = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-01T01:00:00.000Z' };
    const day = { from: '2026-11-01T01:00:00.000Z', to: '2026-11-02T01:00:00.000Z' };
    const read = { ids: [], late: [], overlapMs: OVERLAP_MS };
    const cut = seenAfter(undefined, { ...read, window: hour, complete: false });
    expect(cut.complete).toBe(false);
    const next = { from: hour.to, to: '2026-11-01T02:00:00.000Z' };
    expect(seenAfter(cut, { ...read, window: next, complete: true }).complete).toBe(false);
    expect(seenAfter(cut, { ...read, window: day, complete: true }).complete).toBe(true);
  });

  it('are looked for not before the first report began', () => {
    const from = '2026-11-02T00:00:00.000Z';
    expect(overlapBefore(from, OVERLAP_MS, '2026-11-01T22:00:00.000Z')).toEqual({
      from: '2026-11-01T22:00:00.000Z',
      to: from,
    });
    expect(overlapBefore(from, OVERLAP_MS, from)).toBeUndefined();
  });
});
