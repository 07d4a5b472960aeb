import { redact } from './redact';

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
