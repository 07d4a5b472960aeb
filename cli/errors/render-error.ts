import { given } from '../../api/json';
import { messageOf, whatToDoAbout } from './what-to-do';
import { MediaServiceError } from '../../api/errors';
import { redact } from '../../api/answers/redact';
import { exitCodeOf } from '../exit-codes';
import { plainJson, plainLine, plainText } from '../output/plain-text';

export interface ErrorView {
  readonly json: boolean;
  /** Adds the stack, for developers of this program. */
  readonly debug: boolean;
}

/**
 * Shows an error for the user: what happened, then what to do next. For a program it is one line of JSON
 * (`{"error":{"code","message","hint",…,"exitCode"}}`). It never contains a secret, and a stack only with `--debug`.
 * `subject`: which of several things failed, such as a file.
 */
export function renderError(error: unknown, { json, debug }: ErrorView, subject?: string): string {
  const stack =
    debug && error instanceof Error && error.stack !== undefined ? redact(error.stack) : undefined;
  if (json) return `${plainJson({ error: { ...errorFields(error), ...given({ subject, stack }) } })}\n`;
  const { message, hint, serviceMessage, requestId } = errorFields(error);
  const lines = [
    `Error${subject === undefined ? '' : ` (${plainLine(subject)})`}: ${plainText(message)}`,
    ...(serviceMessage === undefined || message.includes(serviceMessage)
      ? []
      : [`  The service says: ${plainLine(serviceMessage)}`]),
    ...(requestId === undefined ? [] : [`  Request id: ${plainLine(requestId)}`]),
    ...(hint === undefined ? [] : [`  What to do: ${plainText(hint)}`]),
    ...(stack === undefined ? [] : [plainText(stack)]),
  ];
  return `${lines.join('\n')}\n`;
}

function errorFields(thrown: unknown) {
  const error =
    thrown instanceof MediaServiceError
      ? thrown
      : new MediaServiceError('Internal', thrown instanceof Error ? thrown.message : String(thrown));
  const { status, operation, field, serviceMessage, requestId, details } = error.facts;
  const redacted = (text: string | undefined): string | undefined => text && redact(text);
  return {
    code: error.code,
    message: redact(messageOf(error)),
    ...given({ hint: redacted(whatToDoAbout(error)), status, operation, field }),
    ...given({ serviceMessage: redacted(serviceMessage), requestId, details }),
    exitCode: exitCodeOf(error),
  };
}

/**
 * Returns a warning about an exception that a library threw outside of every call, such as in a listener of a socket.
 * Undefined if our own code threw it. Nothing of ours was running then, and what waits for the library ends by its time
 * limit, so one bad connection must not end a worker with all its uploads.
 */
export function libraryException(error: unknown): { readonly message: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/[( ]node:/.test(line));
  const [, ...below] = (frames[0] ?? '').split(/[\\/]node_modules[\\/]/);
  const library = /^((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(below.at(-1) ?? '')?.[1];
  if (library === undefined || library === 'media-service') return undefined;
  return {
    message: plainLine(`the library ${library} failed outside of any call: ${redact(error.message)}`),
  };
}
