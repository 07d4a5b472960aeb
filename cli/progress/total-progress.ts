import { given } from '../../api/json';
import { formatBytes, formatSpan } from '../output/plain-text';
import { cutText, fitText, textWidth } from '../output/text-width';
import type { LiveProgress } from '../../temporal/upload/client/open-upload';

/** An upload among several that are watched together. */
export interface UploadOfMany {
  /** Its workflow. Two uploads may have the same file name. */
  readonly id: string;
  readonly file: string;
  /** Unset: not known before its source is read. */
  readonly bytes?: number;
}

type UploadEnding =
  | { readonly at: number; readonly bytes: number }
  | { readonly at: number; readonly how: 'failed' | 'cancelled' };

/** The common progress of many uploads. */
export interface TotalProgress {
  show(
    id: string,
    reading: { readonly at: number; readonly bytes: number; readonly bytesTotal?: number | undefined },
  ): void;
  /** One upload has ended. `bytes`: its size, if it ended well. */
  end(id: string, end: UploadEnding): void;
  /** `3 of 75 files`, with bytes, rate and time left. */
  bar(): Bar;
}

interface Share {
  readonly bytes: number;
  readonly total: number | undefined;
  /** Bytes that were already sent at the first look. They don't count for the rate. */
  readonly before: number;
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled';
}

export function createTotalProgress(uploads: ReadonlyArray<Omit<UploadOfMany, 'file'>>): TotalProgress {
  const meter = createTransferMeter();
  const shares = new Map(uploads.map(({ id, bytes }): [string, Share] => [id, newShare(bytes)]));
  const set = (id: string, at: number, share: Share): void => {
    shares.set(id, share);
    const bytes = [...shares.values()].reduce((sum, one) => sum + one.bytes - one.before, 0);
    meter.add({ at, bytes, bytesDone: 0 });
  };
  const seen = new Set<string>();
  const shareOf = (id: string, bytes: number): Share => {
    const share = shares.get(id) ?? newShare(undefined);
    if (seen.has(id)) return share;
    seen.add(id);
    return { ...share, before: bytes };
  };
  return {
    show(id, { at, bytes, bytesTotal }) {
      const share = shareOf(id, bytes);
      set(id, at, { ...share, bytes: Math.max(bytes, share.bytes), total: bytesTotal ?? share.total });
    },
    end(id, { at, ...end }) {
      const isDone = 'bytes' in end;
      const share = shareOf(id, isDone ? end.bytes : 0);
      const { bytes, total } = isDone ? { bytes: end.bytes, total: end.bytes } : share;
      set(id, at, { ...share, bytes, total, state: isDone ? 'completed' : end.how });
    },
    bar: () => barOf([...shares.values()], meter.rate()),
  };
}

function newShare(total: number | undefined): Share {
  return { bytes: 0, total, before: 0, state: 'running' };
}

function barOf(shares: readonly Share[], rate = 0): Bar {
  const count = (state: Share['state']): number => shares.filter((share) => share.state === state).length;
  const lost = (['failed', 'cancelled'] as const).flatMap((state) =>
    count(state) === 0 ? [] : [`, ${count(state)} ${state}`],
  );
  const rest = shares.filter(({ state }) => state === 'running' || state === 'completed');
  const sum = (of: (share: Share) => number): number => rest.reduce((total, share) => total + of(share), 0);
  const isKnown = rest.every(({ total }) => total !== undefined);
  const [bytes, total] = [sum((share) => share.bytes), sum((share) => share.total ?? 0)];
  // While sizes are missing, each file counts the same.
  const share = isKnown
    ? bytes / Math.max(1, total)
    : sum((one) => one.bytes / Math.max(1, one.total ?? Infinity)) / Math.max(1, rest.length);
  const left =
    isKnown && rate > 0 && total > bytes ? `, ${formatSpan(((total - bytes) * 1000) / rate)} left` : '';
  return {
    name: `${count('completed')}/${shares.length} files${lost.join('')}`,
    share: Math.min(1, share),
    facts: [
      isKnown ? `${formatBytes(bytes)} of ${formatBytes(total)}` : formatBytes(bytes),
      rate > 0 ? `${formatBytes(rate)}/s${left}` : '',
    ],
  };
}

/** A narrower terminal shows no bar, because the numbers need the room. */
const MIN_COLUMNS = 60;
const MAX_BAR = 40;
const MAX_NAME_SHARE = 0.3;

export interface Bar {
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  /** Shown after the bar. If not all fit, the last one is kept. */
  readonly facts: readonly string[];
}

/** Returns the width of a column of names. */
export function nameColumns(names: readonly string[], columns: number): number {
  return Math.min(Math.floor(columns * MAX_NAME_SHARE), Math.max(0, ...names.map(textWidth)));
}

/** Returns `harbour.mp4 ████████░░░░  41%  123.0 MB of 300.0 MB  94.4 MB/s, 2 s left`, in at most this many columns. */
export function barLine(
  { name, share, facts }: Bar,
  { columns, nameWidth }: { readonly columns: number; readonly nameWidth: number },
): string {
  const barWidth = columns < MIN_COLUMNS ? 0 : Math.min(MAX_BAR, Math.floor(columns / 4));
  const filled = Math.floor(share * barWidth);
  const head = [
    fitText(name, nameWidth),
    ...(barWidth === 0 ? [] : ['█'.repeat(filled) + '░'.repeat(barWidth - filled)]),
    `${Math.floor(share * 100)}%`.padStart(4),
  ].join(' ');
  const line = (shown: readonly string[]): string =>
    [head, ...shown.filter((fact) => fact !== '')].join('  ').trimEnd();
  const whole = line(facts);
  return textWidth(whole) <= columns ? whole : cutText(line(facts.slice(-1)), columns);
}

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
    ...given({ heartbeatAt }),
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
