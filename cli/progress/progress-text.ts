import type { LiveProgress } from '../../temporal/client/upload-handle';
import { plainLine } from '../output/plain-text';
import type { TransferMeter, TransferReading } from './transfer-meter';
import { formatBytes, formatSpan } from '../output/units';

/** Bytes that were sent, including running parts; never more than the file has. */
export function bytesSoFar({ bytesDone, bytesInFlight, bytesTotal }: LiveProgress): number {
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

/** Returns what an upload is doing, in one or two words. */
export function phaseText({ phase, paused, sessionStatus }: LiveProgress): string {
  if (paused && phase === 'uploading') return 'paused';
  return phase === 'processing' && sessionStatus !== undefined
    ? `processing (${plainLine(sessionStatus)})`
    : phase;
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

/**
 * `94.4 MB/s, 3 s left`, `waiting for a slot`, or `no news for 12 s` once heartbeats are missing; empty if there is
 * nothing to report.
 */
export function rateText(progress: LiveProgress, meter: TransferMeter): string {
  if (progress.phase !== 'uploading' || progress.paused) return '';
  const standstill = standstillOf(progress, meter);
  if (standstill === 'no news') return `no news for ${formatSpan(meter.silentMs())}`;
  if (standstill !== undefined) return standstill;
  const rate = meter.rate();
  if (rate === undefined || rate <= 0) return '';
  const left = (progress.bytesTotal ?? 0) - meter.bytes();
  const end = left > 0 ? `, ${formatSpan((left * 1000) / rate)} left` : '';
  return `${formatBytes(rate)}/s${end}`;
}

/** One line with everything: `clip.mp4: uploading, 41% (123.0 MB of 300.0 MB), 6 of 15 parts, 94.4 MB/s, 2 s left`. */
export function progressLine(file: string, progress: LiveProgress, meter: TransferMeter): string {
  const { bytesTotal, partsDone, partsTotal, retries } = progress;
  const bytes = meter.bytes();
  const facts = [
    phaseText(progress),
    bytesTotal === undefined || bytesTotal === 0
      ? ''
      : `${Math.floor((bytes * 100) / bytesTotal)}% (${formatBytes(bytes)} of ${formatBytes(bytesTotal)})`,
    partsTotal === undefined ? '' : `${partsDone} of ${partsTotal} parts`,
    rateText(progress, meter),
    retries === 0 ? '' : `${retries} ${retries === 1 ? 'retry' : 'retries'}`,
  ];
  return `${plainLine(file)}: ${facts.filter((fact) => fact !== '').join(', ')}`;
}
