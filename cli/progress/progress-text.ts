import type { LiveProgress } from '../../temporal/client/upload-handle';
import { plainLine } from '../output/plain-text';
import type { TransferMeter } from './transfer-meter';
import { formatBytes, formatSpan } from '../output/units';

/** Bytes that are over, those under way included; never more than the file has. */
export function bytesSoFar({ bytesDone, bytesInFlight, bytesTotal }: LiveProgress): number {
  return Math.min(bytesDone + bytesInFlight, bytesTotal ?? Number.MAX_SAFE_INTEGER);
}

/** What an upload is doing, in one or two words. */
export function phaseText({ phase, paused, sessionStatus }: LiveProgress): string {
  if (paused && phase === 'uploading') return 'paused';
  return phase === 'processing' && sessionStatus !== undefined
    ? `processing (${plainLine(sessionStatus)})`
    : phase;
}

/** A rate of the past would promise an end that nothing moves towards. */
const STILL_AFTER_MS = 5_000;

/** `94.4 MB/s, 3 s left`, or `nothing new for 12 s`; empty where there is nothing to tell. */
export function rateText(progress: LiveProgress, meter: TransferMeter): string {
  if (progress.phase !== 'uploading' || progress.paused) return '';
  const stillMs = meter.stillMs();
  if (stillMs >= STILL_AFTER_MS) return `nothing new for ${formatSpan(stillMs)}`;
  const rate = meter.rate();
  if (rate === undefined || rate <= 0) return '';
  const left = (progress.bytesTotal ?? 0) - meter.bytes();
  const end = left > 0 ? `, ${formatSpan((left * 1000) / rate)} left` : '';
  return `${formatBytes(rate)}/s${end}`;
}

/** One line that tells all: `clip.mp4: uploading, 41% (123.0 MB of 300.0 MB), 6 of 15 parts, 94.4 MB/s, 2 s left`. */
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
