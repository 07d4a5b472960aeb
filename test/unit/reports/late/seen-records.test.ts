import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { lateStep, type Received } from '../../../../reports/late/late-step';
import { overlapBefore, seenAfter, unseen } from '../../../../reports/late/seen-records';
import { nextPeriod } from '../../../../reports/period/next-period';
import type { Period } from '../../../../reports/period/period';

const MINUTE_MS = 60_000;
const OVERLAP_MS = 600 * MINUTE_MS;

interface Failure {
  readonly id: string;
  readonly sentAt: number;
  /** From this time on the service shows it. */
  readonly shownAt: number;
}

interface Reported {
  readonly id: string;
  readonly late: boolean;
}

/** What a target receives over the runs, by the step that the activity takes for each report. */
function reportedOver(failures: readonly Failure[], runs: readonly number[], lagMs: number): Reported[] {
  const shown: Reported[] = [];
  let received: Received | undefined;
  let deliveredTo: string | undefined;
  for (const now of runs) {
    const read = ({ from, to }: Period): Failure[] =>
      failures.filter(
        ({ sentAt, shownAt }) => shownAt <= now && sentAt >= Date.parse(from) && sentAt < Date.parse(to),
      );
    const period = nextPeriod({ deliveredTo, now, lagMs, zone: 'UTC', interval: { ms: 60 * MINUTE_MS } });
    if (period === undefined) continue;
    const step = lateStep(period, OVERLAP_MS, received);
    const late = step.lateOf(step.range ? idsOf(read(step.range)) : []);
    const inPeriod = read(period);
    shown.push(
      ...idsOf(inPeriod).map((id) => ({ id, late: false })),
      ...late.map((id) => ({ id, late: true })),
    );
    const ids = idsOf(inPeriod.filter(({ sentAt }) => step.keeps(sentAt)));
    received = {
      since: received?.since ?? period.from,
      seen: step.seenAfter({ ids, late, complete: true }),
    };
    deliveredTo = period.to;
  }
  return shown;
}

function idsOf(failures: readonly Failure[]): string[] {
  return failures.map(({ id }) => id);
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
/** Minutes between runs: short enough for the overlap to cover a delay of 400 minutes. */
const runs = fc
  .array(fc.integer({ min: 1, max: 190 }), { minLength: 1, maxLength: 60 })
  .map((gaps) =>
    gaps.reduce<number[]>((all, gap) => [...all, (all.at(-1) ?? START) + gap * MINUTE_MS], [START]),
  );

function byId(one: Reported, other: Reported): number {
  return one.id.localeCompare(other.id);
}

describe('failed records that were reported to a target', () => {
  it('come once each, however late they appear, and none is missed within the overlap', () => {
    fc.assert(
      fc.property(failures, runs, fc.integer({ min: 0, max: 30 }), (all, times, lag) => {
        const lagMs = lag * MINUTE_MS;
        const shown = reportedOver(all, times, lagMs).sort(byId);
        const begun = START - lagMs - 60 * MINUTE_MS;
        const last = times.at(-1) ?? START;
        const due = all
          .filter(({ sentAt, shownAt }) => sentAt >= begun && sentAt < last - lagMs && shownAt <= last)
          .map(({ id, sentAt, shownAt }) => ({
            id,
            late: shownAt > Math.min(...times.filter((now) => sentAt < now - lagMs)),
          }));
        expect(shown).toEqual(due.sort(byId));
      }),
      { numRuns: 300 },
    );
  });

  it('are named once each even if they come twice', () => {
    const known = [{ until: '2026-11-01T00:00:00.000Z', ids: ['a'] }];
    expect(unseen(['b', 'a', 'b', 'c', 'a'], known)).toEqual(['b', 'c']);
  });

  it('are not kept for longer than the overlap', () => {
    const before = [{ until: '2026-11-01T00:00:00.000Z', ids: ['old'] }];
    const period = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' };
    const after = seenAfter(before, {
      period,
      ids: ['new'],
      late: ['late'],
      overlapMs: OVERLAP_MS,
      complete: true,
    });
    expect(after).toEqual([{ until: period.to, ids: ['new'] }]);
  });

  it("can't be distinguished from late ones after an incomplete reading, until the overlap has passed it", () => {
    const atHour = (hour: number): string => new Date(START + hour * 60 * MINUTE_MS).toISOString();
    let received: Received = { since: atHour(0), seen: [] };
    const ranges: boolean[] = [];
    for (let hour = 0; hour < 12; hour += 1) {
      const step = lateStep({ from: atHour(hour), to: atHour(hour + 1) }, OVERLAP_MS, received);
      ranges.push(step.range !== null);
      const seen = step.seenAfter({ ids: [`${hour}`], late: [], complete: hour !== 0 });
      received = { ...received, seen };
    }
    expect(ranges).toEqual([true, ...Array.from({ length: 10 }, () => false), true]);
  });

  it('are not looked for before the first report began', () => {
    const from = '2026-11-02T00:00:00.000Z';
    expect(overlapBefore(from, OVERLAP_MS, '2026-11-01T22:00:00.000Z')).toEqual({
      from: '2026-11-01T22:00:00.000Z',
      to: from,
    });
    expect(overlapBefore(from, OVERLAP_MS, from)).toBeUndefined();
  });
});
