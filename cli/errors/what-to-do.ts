import { given } from '../../api/json';
import { shownAdvice, whatToDo } from '../../api/advice';
import { MediaServiceError } from '../../api/errors';
import { CLI_WORDS, flagOf } from './cli-words';
import type { ResultLine } from '../../temporal/batch/types';
import { redact } from '../../api/answers/redact';
import type { WaitReason } from '../../temporal/client/wait-reason';
import { HOUR_MS, MINUTE_MS } from '../../api/clock';

/** An error as stored in results, lists and Temporal. */
interface KeptError {
  readonly hint?: string;
  readonly code: string;
  readonly message: string;
}

/** Returns what happened, with flags as names of fields. */
export function messageOf({ message, facts: { field = '', problem } }: MediaServiceError): string {
  const flag = flagOf(field);
  return flag === undefined || problem === undefined ? message : `${flag} ${problem}`;
}

/** Returns what to do about an error, in the words of the command line. */
export function whatToDoAbout(error: unknown): string | undefined {
  if (!(error instanceof MediaServiceError)) return undefined;
  return whatToDo(CLI_WORDS, { hint: error.facts.hint, code: error.code });
}

/**
 * Returns the text of an advice, in the words of the command line. A reason to wait needs no more, because it is
 * retried automatically.
 */
export function adviceText(advice: { readonly hint?: string } | undefined): string | undefined {
  return advice === undefined ? undefined : whatToDo(CLI_WORDS, { hint: advice.hint });
}

/** Returns a stored error for JSON output. */
export function shownError<T extends KeptError>(error: T): T {
  return { ...error, ...given({ hint: whatToDo(CLI_WORDS, error) }) };
}

/** Returns an object with a reason for a wait for JSON output. */
export function withShownWait<T extends { readonly waitReason?: KeptError }>(waiting: T): T {
  return { ...waiting, ...given({ waitReason: shown(waiting.waitReason) }) };
}

/** A result as JSON shows it, with its advice as text. */
export function shownLine(line: ResultLine): object {
  return line.error === undefined ? line : { ...line, error: shownError(line.error) };
}

/** Returns a reason to wait, a mistake or a warning for JSON output. */
export function shown<T extends { readonly hint?: string | undefined } | undefined>(advised: T): T {
  return shownAdvice(CLI_WORDS, advised);
}

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
