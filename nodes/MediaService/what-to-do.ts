import { adviceOf, whatToDo, type Advice } from '../../api/advice';
import { N8N_WORDS } from '../../n8n/n8n-words';

/** An error in the form that lists and Temporal keep. */
interface KeptError extends Advice {
  readonly code: string;
  readonly message: string;
}

/** The reason for waiting as an output shows it, with what to do as text. Undefined stays undefined. */
export function shownWait<T extends KeptError>(
  reason: T | undefined,
): (Omit<T, 'hint' | 'remedy'> & { readonly hint?: string }) | undefined {
  if (reason === undefined) return undefined;
  const { hint: _hint, remedy: _remedy, ...facts } = reason;
  const todo = whatToDo(N8N_WORDS, adviceOf(reason));
  return { ...facts, ...(todo === undefined ? {} : { hint: todo }) };
}
