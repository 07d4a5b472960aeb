import type { LiveProgress } from '../temporal/client/upload-handle';
import { plainLine } from './plain-text';
import { formatBytes, formatSpan } from './units';

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

/** `94.4 MB/s, 3 s left`; empty where there is nothing to tell. */
export function rateText(progress: LiveProgress, rate: number | undefined): string {
  if (progress.phase !== 'uploading' || progress.paused || rate === undefined || rate <= 0) return '';
  const left = (progress.bytesTotal ?? 0) - bytesSoFar(progress);
  const end = left > 0 ? `, ${formatSpan((left * 1000) / rate)} left` : '';
  return `${formatBytes(rate)}/s${end}`;
}

/** One line that tells all: `clip.mp4: uploading, 41% (123.0 MB of 300.0 MB), 6 of 15 parts, 94.4 MB/s, 2 s left`. */
export function progressLine(file: string, progress: LiveProgress, rate: number | undefined): string {
  const { bytesTotal, partsDone, partsTotal, retries } = progress;
  const bytes = bytesSoFar(progress);
  const facts = [
    phaseText(progress),
    bytesTotal === undefined || bytesTotal === 0
      ? ''
      : `${Math.floor((bytes * 100) / bytesTotal)}% (${formatBytes(bytes)} of ${formatBytes(bytesTotal)})`,
    partsTotal === undefined ? '' : `${partsDone} of ${partsTotal} parts`,
    rateText(progress, rate),
    retries === 0 ? '' : `${retries} ${retries === 1 ? 'retry' : 'retries'}`,
  ];
  return `${plainLine(file)}: ${facts.filter((fact) => fact !== '').join(', ')}`;
}
