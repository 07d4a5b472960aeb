import { adviceOf, whatToDo, withTodo, type Advice, type WithTodo } from '../../api/advice';
import { N8N_WORDS } from '../../n8n/n8n-words';

/** The reason for waiting as an output shows it, with what to do as text. Undefined stays undefined. */
export function shownWait<T extends Advice>(reason: T | undefined): WithTodo<T> | undefined {
  return reason === undefined ? undefined : withTodo(reason, whatToDo(N8N_WORDS, adviceOf(reason)));
}
