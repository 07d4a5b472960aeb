import { MediaServiceError } from '../errors';
import type { ErrorFacts } from '../errors';
import { parseExact } from '../json';
import type { JsonValue } from '../json';
import { redact } from './redact';

/** An answer of the service, read whole. Header names are in lower case. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Returns the whole body as text, including a byte order mark. `contentType` may name its character set; otherwise it is
 * UTF-8. If the body is larger than `maxBytes`, it rejects with `UnreadableAnswer` and closes the connection. So an
 * endless answer costs no more than that. It does the same for an unknown character set.
 */
export async function readText(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  contentType?: string,
): Promise<string> {
  const decoder = decoderOf(contentType);
  if (decoder === undefined) {
    await discardBody(body);
    throw new MediaServiceError(
      'UnreadableAnswer',
      `the character set of the answer is not known: ${String(contentType).slice(0, 100)}`,
      { outcome: 'ambiguous', hint: 'Ask the operator of the service for UTF-8.' },
    );
  }
  let text = '';
  const isWhole = await readUpTo(
    body,
    maxBytes,
    (bytes) => (text += decoder.decode(bytes, { stream: true })),
  );
  if (isWhole) return text + decoder.decode();
  throw new MediaServiceError('UnreadableAnswer', `the answer is larger than ${maxBytes} bytes`, {
    outcome: 'ambiguous',
    hint: 'Ask for less at once: a smaller page size or a shorter range.',
    details: { maxBytes },
  });
}

/**
 * Returns the first `maxBytes` of the body as text, or as much of it as arrives. For answers whose status already says
 * enough.
 */
export async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  try {
    await readUpTo(body, maxBytes, (bytes) => (text += decoder.decode(bytes, { stream: true })));
  } catch {
    // The connection ended early.
  }
  return text;
}

/** Gives up a body that nobody will read, and frees its connection. */
export async function discardBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  await body[Symbol.asyncIterator]().return?.();
}

/** A wrong character set would silently replace letters. Undefined: Node doesn't know it. */
function decoderOf(contentType = '') {
  const charset = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { ignoreBOM: true });
  } catch {
    return undefined;
  }
}

/** Calls `onBytes` with at most `maxBytes`, and returns whether that is the whole body. */
async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onBytes: (bytes: Uint8Array) => void,
): Promise<boolean> {
  let left = maxBytes;
  for await (const chunk of body) {
    onBytes(chunk.subarray(0, left));
    left -= chunk.byteLength;
    // Leaving the loop returns the iterator, which closes the connection.
    if (left < 0) return false;
  }
  return true;
}

/**
 * Returns the answer as JSON. Throws `UnreadableAnswer` if it is not JSON. The error names content type and length,
 * never the content.
 */
export function parseJson(operation: string, answer: ServiceAnswer): JsonValue {
  try {
    return parseExact(answer.text.replace(/^\uFEFF/, '')) as JsonValue;
  } catch {
    // The message of JSON.parse quotes the text, so it must not become a cause.
    const { status, headers, text } = answer;
    const what = isOwnAnswer(answer) ? (text.trim() === '' ? 'empty' : 'not JSON') : 'an HTML page';
    const seen = `status ${status}, ${headers['content-type'] ?? 'no content type'}, ${text.length} characters`;
    const hint = isOwnAnswer(answer) ? 'Check that the address is that of the Media Service.' : PAGE_HINT;
    throw unreadable(operation, `the answer is ${what} (${seen})`, { status, hint });
  }
}

/** The error for a success that says nothing we know: what was asked may have been done. */
export function unreadable(operation: string, what: string, facts: ErrorFacts = {}): MediaServiceError {
  const message = `${operation}: ${what}`;
  return new MediaServiceError('UnreadableAnswer', message, { operation, outcome: 'ambiguous', ...facts });
}

/** Says who answers with a page. */
export const PAGE_HINT =
  'A proxy, a firewall or a web site answered in place of the service: check the address and the network.';

/**
 * Returns whether the service or storage itself may have given this answer. A page comes from a gateway in front of it,
 * and says nothing about what was asked.
 */
export function isOwnAnswer({ headers, text }: Pick<ServiceAnswer, 'headers' | 'text'>): boolean {
  return (
    !/html/i.test(headers['content-type'] ?? '') &&
    !/^\s*<(!doctype|html|head|body)/i.test(text.slice(0, 300))
  );
}

const OUTLINE_DEPTH = 4;
const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 40;
const MAX_LENGTH = 2_000;

/**
 * Describes the shape of a value without its content: `{content: array(20) of {id: string}, totalElements: number}`. It
 * shows keys and types, never values: four levels deep, twenty keys per object, only the first element of an array. The
 * text has at most 2,000 characters.
 */
export function outlineOf(value: unknown): string {
  const text = outline(value, OUTLINE_DEPTH);
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text;
}

function outline(value: unknown, depth: number): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    return value.length === 0 ? 'array(0)' : `array(${value.length}) of ${outline(value[0], depth - 1)}`;
  }
  if (typeof value !== 'object') return typeof value;
  const entries = Object.entries(value);
  if (depth <= 0) return entries.length === 0 ? '{}' : '{…}';
  const shown = entries
    .slice(0, MAX_KEYS)
    .map(([key, child]) => `${redact(key).slice(0, MAX_KEY_LENGTH)}: ${outline(child, depth - 1)}`);
  if (entries.length > MAX_KEYS) shown.push(`… ${entries.length - MAX_KEYS} more`);
  return `{${shown.join(', ')}}`;
}

const MAX_CHARACTERS = 500;

/**
 * Prepares a text of the service for display and storage: redacted (`redact`), one line, at most 500 characters. It
 * removes control characters, which could control a terminal. Undefined if nothing is left.
 */
export function remoteText(text: string, secrets: readonly string[] = []): string | undefined {
  const plain = redact(text, secrets)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  return plain.length > MAX_CHARACTERS ? `${plain.slice(0, MAX_CHARACTERS - 1)}…` : plain;
}
