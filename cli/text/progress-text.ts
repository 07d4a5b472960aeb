import type { LiveProgress } from '../../temporal/upload/client/open-upload';
import { plainLine } from '../output/plain-text';
import { standstillOf } from '../progress/transfer-meter';
import type { TransferMeter } from '../progress/transfer-meter';
import { formatBytes, formatSpan } from '../output/units';

/** Returns what an upload is doing, in one or two words. */
export function phaseText({ phase, paused, sessionStatus }: LiveProgress): string {
  if (paused && phase === 'uploading') return 'paused';
  return phase === 'processing' && sessionStatus !== undefined
    ? `processing (${plainLine(sessionStatus)})`
    : phase;
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
export function uploadProgressText(file: string, progress: LiveProgress, meter: TransferMeter): string {
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
