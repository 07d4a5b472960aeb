import { given } from './json';
import type { ErrorCode } from './errors';
import { REMEDY_TEXTS } from './remedies';
import type { Advice, DoorNames, Remedies, Remedy, RemedyKind } from './remedies';

/** The words of one interface. A missing name or code does not compile. */
export interface DoorWords {
  readonly names: DoorNames;
  /** For errors without any advice of their own. Null: the user can do nothing about it, or the message says it all. */
  readonly codes: Readonly<Record<ErrorCode, string | null>>;
}

/** Copies only the advice out of an error's facts, or out of any object that contains one. */
export function adviceOf({ hint, remedy }: Advice): Advice {
  return given({ hint, remedy });
}

/**
 * Says what to do in the words of one interface: the remedy, then the hint. If both are missing, it uses the
 * interface's text for the code.
 */
export function whatToDo(
  words: DoorWords,
  { code, hint, remedy }: Advice & { readonly code?: string },
): string | undefined {
  const said = remedy === undefined ? undefined : remedyText(words, remedy);
  const texts = [said, hint].filter((text) => text !== undefined);
  return texts.length > 0 ? texts.join(' ') : textOfCode(words, code);
}

/** Also returns undefined for a kind that a newer worker sent. */
function remedyText<Kind extends RemedyKind>({ names }: DoorWords, remedy: Remedy<Kind>): string | undefined {
  if (!Object.hasOwn(REMEDY_TEXTS, remedy.kind)) return undefined;
  const text: (of: DoorNames, facts: Remedies[Kind]) => string = REMEDY_TEXTS[remedy.kind];
  return text(names, remedy);
}

function textOfCode({ codes }: DoorWords, code = ''): string | undefined {
  return Object.hasOwn(codes, code) ? (codes[code as ErrorCode] ?? undefined) : undefined;
}

/** Returns the reason for a wait with its advice as text, in the words of one interface. Undefined stays undefined. */
export function shownWait<T extends Advice>(
  words: DoorWords,
  reason: T | undefined,
): WithTodo<T> | undefined {
  return reason === undefined ? undefined : withTodo(reason, whatToDo(words, adviceOf(reason)));
}

/** An error or reason with its advice as text instead of data. */
export type WithTodo<T> = Omit<T, 'hint' | 'remedy'> & { readonly hint?: string };

/** Replaces the advice of an error or a reason by its text. */
export function withTodo<T extends Advice>(error: T, todo: string | undefined): WithTodo<T> {
  const { hint: _hint, remedy: _remedy, ...facts } = error;
  return { ...facts, ...given({ hint: todo }) };
}
