import type { LiveProgress } from '../../temporal/upload/client/open-upload';

/** Long enough to even out parts that end together, short enough to follow a changing line. */
const PERIOD_MS = 20_000;

/** The progress of an upload at one moment. */
export interface TransferReading {
  /** Epoch ms. */
  readonly at: number;
  /** Bytes that were sent, including running parts. */
  readonly bytes: number;
  /** Bytes of parts that are done. Fewer than before means that the upload started again. */
  readonly bytesDone: number;
  /** Time of the newest heartbeat, by any clock. Unset: no heartbeat is due. */
  readonly heartbeatAt?: number;
}

export interface TransferMeter {
  add(reading: TransferReading): void;
  /** The furthest progress. A failed try's bytes are sent again: until then it does not move, but never goes back. */
  bytes(): number;
  /** Bytes per second over the last 20 s, smoothed. Undefined without enough readings. */
  rate(): number | undefined;
  /** How long it has not moved, ms. */
  stillMs(): number;
  /** How long a heartbeat has been missing, ms; 0 if none is due. */
  silentMs(): number;
}

interface Point {
  readonly at: number;
  readonly bytes: number;
}

/** Measures progress and rate of one transfer from its readings. */
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
        ...points.filter((point) => at - point.at <= PERIOD_MS),
        { at, bytes: Math.max(furthest(), bytes) },
      ];
    },
    bytes: furthest,
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
  const [at, bytes] = [mean((point) => point.at), mean((point) => point.bytes)];
  const covariance = mean((point) => (point.at - at) * (point.bytes - bytes));
  const variance = mean((point) => (point.at - at) ** 2);
  return (covariance * 1000) / variance;
}

/** Bytes that were sent, including running parts; never more than the file has. */
export function bytesSoFar({
  bytesDone,
  bytesInFlight,
  bytesTotal,
}: Pick<LiveProgress, 'bytesDone' | 'bytesInFlight' | 'bytesTotal'>): number {
  return Math.min(bytesDone + bytesInFlight, bytesTotal ?? Number.MAX_SAFE_INTEGER);
}

/** Returns the progress at this moment, epoch ms. */
export function readingOf(progress: LiveProgress, at: number): TransferReading {
  const { bytesDone, heartbeatAt } = progress;
  return {
    at,
    bytes: bytesSoFar(progress),
    bytesDone,
    ...(heartbeatAt === undefined ? {} : { heartbeatAt }),
  };
}

/** After this time, an old rate would promise an end that is not coming closer. */
const STILL_AFTER_MS = 5_000;
/** Parts that move or wait send a heartbeat each second. */
const NO_NEWS_AFTER_MS = 10_000;

/** Returns why no bytes move, for an upload that has not moved for some seconds. */
export function standstillOf(
  { phase, paused, waitReason, waitsForSlot }: LiveProgress,
  meter: TransferMeter,
): 'no news' | 'waiting' | 'waiting for a slot' | undefined {
  if (phase !== 'uploading' || paused) return undefined;
  if (meter.silentMs() >= NO_NEWS_AFTER_MS) return 'no news';
  if (meter.stillMs() < STILL_AFTER_MS) return undefined;
  // The reason has its own line.
  if (waitReason !== undefined) return 'waiting';
  return waitsForSlot === true ? 'waiting for a slot' : undefined;
}
