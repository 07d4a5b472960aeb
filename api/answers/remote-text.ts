import { redact } from './redact';

const MAX_CHARACTERS = 500;

/**
 * A text of the service as it may be shown and kept: redacted (`redact`), on one line, without control characters, which could steer a
 * terminal, and of at most 500 characters. Undefined where nothing is left.
 */
export function remoteText(text: string, secrets: readonly string[] = []): string | undefined {
  const plain = redact(text, secrets)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  return plain.length > MAX_CHARACTERS ? `${plain.slice(0, MAX_CHARACTERS - 1)}…` : plain;
}
