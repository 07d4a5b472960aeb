import type { ResultLine } from '../../temporal/contract/batch';
import { shownError } from '../errors/what-to-do';

/** A result as JSON shows it, with its advice as text. */
export function shownLine(line: ResultLine): object {
  return line.error === undefined ? line : { ...line, error: shownError(line.error) };
}
