import { formatBytes, formatSpan } from '../output/units';
import type { Bar } from './bar-line';
import { createTransferMeter } from './transfer-meter';

/** An upload among several that are watched together. */
export interface UploadOfMany {
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
    file: string,
    reading: { readonly at: number; readonly bytes: number; readonly bytesTotal?: number | undefined },
  ): void;
  /** One upload has ended. `bytes`: its size, if it ended well. */
  end(file: string, end: UploadEnding): void;
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

export function createTotalProgress(uploads: readonly UploadOfMany[]): TotalProgress {
  const meter = createTransferMeter();
  const shares = new Map(
    uploads.map(({ file, bytes }): [string, Share | undefined] => [file, newShare(bytes)]),
  );
  const known = (): Share[] => [...shares.values()].filter((share) => share !== undefined);
  const set = (file: string, at: number, share: Share): void => {
    shares.set(file, share);
    const bytes = known().reduce((sum, one) => sum + one.bytes - one.before, 0);
    meter.add({ at, bytes, bytesDone: 0 });
  };
  const seen = new Set<string>();
  const shareOf = (file: string, bytes: number): Share => {
    const share = shares.get(file) ?? newShare(undefined);
    if (seen.has(file)) return share;
    seen.add(file);
    return { ...share, before: bytes };
  };
  return {
    show(file, { at, bytes, bytesTotal }) {
      const share = shareOf(file, bytes);
      set(file, at, { ...share, bytes: Math.max(bytes, share.bytes), total: bytesTotal ?? share.total });
    },
    end(file, { at, ...end }) {
      const isDone = 'bytes' in end;
      const share = shareOf(file, isDone ? end.bytes : 0);
      const { bytes, total } = isDone ? { bytes: end.bytes, total: end.bytes } : share;
      set(file, at, { ...share, bytes, total, state: isDone ? 'completed' : end.how });
    },
    bar: () => barOf(known(), meter.rate()),
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
