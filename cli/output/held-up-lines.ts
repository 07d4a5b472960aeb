import { redact } from '../../api/answers/redact';
import type { HeldUp } from '../../temporal/client/held-up-by';

/** Why an upload, a batch or a report does not go on, and what to do, a line each; none if nothing keeps it. */
export function heldUpLines(heldUp: HeldUp | undefined): string[] {
  if (heldUp === undefined) return [];
  const { code, message, hint } = heldUp;
  return [
    `${code === 'NoWorker' ? 'Waiting' : 'Held up, and tried again'}: ${redact(message)}`,
    ...(hint === undefined ? [] : [`What to do: ${redact(hint)}`]),
  ];
}
