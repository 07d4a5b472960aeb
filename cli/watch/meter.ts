/** The progress of an upload (bytes) or a batch (rows) at one moment. */
interface Point {
  /** Epoch ms. */
  readonly at: number;
  readonly done: number;
}

interface MeterReading extends Point {
  /** What is never done again. Less than before means that the work started again. */
  readonly sure: number;
  /** What was done before this run, which says nothing about its speed. */
  readonly earlier: number;
  /** Time of the newest heartbeat, by any clock. Unset: no heartbeat is due. */
  readonly heartbeatAt?: number | undefined;
}

export interface Meter {
  add(reading: MeterReading): void;
  /** The furthest progress. A failed try is sent again: until then it does not move, but never goes back. */
  done(): number;
  /** Per second, over the last period, smoothed. Undefined without enough readings. */
  rate(): number | undefined;
  /** How long it has not moved, ms. */
  stillMs(): number;
  /** How long a heartbeat has been missing, ms; 0 if none is due. */
  silentMs(): number;
}

/** Measures progress and rate from readings. `periodMs`: long enough to even out what ends together. */
export function createMeter(periodMs: number): Meter {
  let points: Point[] = [];
  let last = { sure: 0, earlier: 0 };
  let movedAt: number | undefined;
  let heartbeat: { readonly sent: number | undefined; readonly seen: number } | undefined;
  const furthest = (): number => points.at(-1)?.done ?? 0;
  const since = (moment: number | undefined): number => {
    const now = points.at(-1)?.at ?? 0;
    return now - (moment ?? now);
  };
  return {
    add({ at, done, heartbeatAt, sure, earlier }) {
      if (sure < last.sure || earlier !== last.earlier) points = [];
      last = { sure, earlier };
      if (movedAt === undefined || done > furthest()) movedAt = at;
      if (heartbeatAt === undefined || heartbeatAt !== heartbeat?.sent)
        heartbeat = { sent: heartbeatAt, seen: at };
      const kept = points.filter((point) => at - point.at <= periodMs);
      points = [...kept, { at, done: Math.max(furthest(), done) }];
    },
    done: furthest,
    rate: () => slopeOf(points),
    stillMs: () => since(movedAt),
    silentMs: () => since(heartbeat?.seen),
  };
}

/** Returns the slope, per second, of the line that best fits the points. Progress in steps changes it little. */
function slopeOf(points: readonly Point[]): number | undefined {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [at, done] = [mean((point) => point.at), mean((point) => point.done)];
  const covariance = mean((point) => (point.at - at) * (point.done - done));
  return (covariance * 1000) / mean((point) => (point.at - at) ** 2);
}
