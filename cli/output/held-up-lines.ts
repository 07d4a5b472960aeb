import { redact } from '../../api/answers/redact';
import type { HeldUp } from '../../temporal/client/held-up-by';

const HOUR_MS = 3_600_000;

/** Why an upload, a batch or a report waits, and what to do, a line each; none if it doesn't wait. `retriedForMs`: how long its steps are retried, if that is known. */
export function heldUpLines(heldUp: HeldUp | undefined, retriedForMs?: number): string[] {
  if (heldUp === undefined) return [];
  const { code, message, hint } = heldUp;
  const retrying = retriedForMs === undefined ? 'Retrying' : `Retrying for up to ${retriedForMs / HOUR_MS} h`;
  return [
    `${code === 'NoWorker' ? 'Waiting' : retrying}: ${redact(message)}`,
    ...(hint === undefined ? [] : [`What to do: ${redact(hint)}`]),
  ];
}
