import { redact } from '../../api/answers/redact';
import { adviceText } from '../errors/what-to-do';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { HOUR_MS, MINUTE_MS } from '../../api/clock';

/**
 * Returns why an upload, a batch or a report waits, and what to do, one line each; empty if it doesn't wait.
 * `stepRetryMs`: how long its steps are retried, if known.
 */
export function waitReasonLines(waitReason: WaitReason | undefined, stepRetryMs?: number): string[] {
  if (waitReason === undefined) return [];
  const { code, message, retryForMs = stepRetryMs } = waitReason;
  const hint = adviceText(waitReason);
  const retrying = retryForMs === undefined ? 'Retrying' : `Retrying for up to ${limitText(retryForMs)}`;
  return [
    `${code === 'NoWorker' ? 'Waiting' : retrying}: ${redact(message)}`,
    ...(hint === undefined ? [] : [`What to do: ${redact(hint)}`]),
  ];
}

/** `24 h`, `1 min`. */
function limitText(ms: number): string {
  return ms < HOUR_MS ? `${Math.ceil(ms / MINUTE_MS)} min` : `${Math.ceil(ms / HOUR_MS)} h`;
}
