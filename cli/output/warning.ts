import { plainJson, plainLine } from './plain-text';
import type { Terminal } from './terminal';

/** Something that may go wrong, and what to do about it. */
export interface Warning {
  /** A phrase or sentence without its period. */
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Writes a warning to stderr: a line, or with `--json` one object per line. */
export function warn(terminal: Terminal, { message, hint }: Warning, json: boolean): void {
  if (json) terminal.report(`${plainJson({ warning: { message, hint } })}\n`);
  else terminal.note(plainLine(`Warning: ${message}. ${hint ?? ''}`.trimEnd()));
}
