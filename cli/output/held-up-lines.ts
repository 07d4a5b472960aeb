import { redact } from '../../api/answers/redact';
import type { HeldUp } from '../../temporal/client/held-up-by';

/** Why an upload or a report is not over yet, and what to do, a line each; none where nothing keeps it. */
export function heldUpLines(heldUp: HeldUp | undefined): string[] {
  if (heldUp === undefined) return [];
  const { message, hint } = heldUp;
  return [
    `Held up, and tried again: ${redact(message)}`,
    ...(hint === undefined ? [] : [`What to do: ${redact(hint)}`]),
  ];
}
