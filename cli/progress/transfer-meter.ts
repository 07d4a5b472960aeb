/** Long enough to even out parts that end together, short enough to follow a line that changes. */
const WINDOW_MS = 20_000;

/** How far an upload is. */
export interface TransferReading {
  /** Epoch ms. */
  readonly at: number;
  /** Bytes that are over, those under way included. */
  readonly bytes: number;
  /** Bytes of parts that are done: fewer than before means that the upload started again. */
  readonly bytesDone: number;
  /** Of the newest heartbeat, by any clock. Unset: nothing is due to give one. */
  readonly heartbeatAt?: number;
}

export interface TransferMeter {
  add(reading: TransferReading): void;
  /** The furthest it has been. Bytes that a failed try takes back are sent again: until then it stands still, never goes back. */
  bytes(): number;
  /** Bytes per second over the last 20 s, evened out; undefined while there is nothing to tell from. */
  rate(): number | undefined;
  /** How long it has stood still, ms. */
  stillMs(): number;
  /** How long a heartbeat has been missing, ms; 0 if none is due. */
  silentMs(): number;
}

interface Point {
  readonly at: number;
  readonly bytes: number;
}

/** Progress and rate of one transfer, from readings of how far it is. */
export function createTransferMeter(): TransferMeter {
  let points: Point[] = [];
  let bytesDone = 0;
  let movedAt: number | undefined;
  let heartbeat: { readonly sent: number | undefined; readonly seen: number } | undefined;
  const furthest = (): number => points.at(-1)?.bytes ?? 0;
  const since = (moment: number | undefined): number => {
    const now = points.at(-1)?.at ?? 0;
    return now - (moment ?? now);
  };
  return {
    add({ at, bytes, heartbeatAt, ...reading }) {
      if (reading.bytesDone < bytesDone) points = [];
      bytesDone = reading.bytesDone;
      if (movedAt === undefined || bytes > furthest()) movedAt = at;
      if (heartbeatAt === undefined || heartbeatAt !== heartbeat?.sent)
        heartbeat = { sent: heartbeatAt, seen: at };
      points = [
        ...points.filter((point) => at - point.at <= WINDOW_MS),
        { at, bytes: Math.max(furthest(), bytes) },
      ];
    },
    bytes: furthest,
    rate: () => slopeOf(points),
    stillMs: () => since(movedAt),
    silentMs: () => since(heartbeat?.seen),
  };
}

/** Per second, of the straight line that lies closest to the points: news that come in steps move it little. */
function slopeOf(points: readonly Point[]): number | undefined {
  const [first, last] = [points.at(0), points.at(-1)];
  if (first === undefined || last === undefined || last.at <= first.at) return undefined;
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [at, bytes] = [mean((point) => point.at), mean((point) => point.bytes)];
  const covariance = mean((point) => (point.at - at) * (point.bytes - bytes));
  const variance = mean((point) => (point.at - at) ** 2);
  return (covariance * 1000) / variance;
}
