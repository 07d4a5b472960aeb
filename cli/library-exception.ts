import { redact } from '../api/answers/redact';
import { plainLine } from './output/plain-text';

/**
 * Returns a line about an exception that a library threw outside of every call, such as in a listener of a socket.
 * Undefined if our own code threw it. Nothing of ours was running then, and what waits for the library ends by its time
 * limit, so one bad connection must not end a worker with all its uploads.
 */
export function libraryException(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !/[( ]node:/.test(line));
  const [, ...below] = (frames[0] ?? '').split(/[\\/]node_modules[\\/]/);
  const library = /^((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(below.at(-1) ?? '')?.[1];
  if (library === undefined || library.startsWith('n8n-nodes-')) return undefined;
  return plainLine(`Warning: the library ${library} failed outside of any call: ${redact(error.message)}`);
}
