import { hkdfSync } from 'node:crypto';
import { MediaServiceError } from '../api/errors';
import { decryptBytes, encryptBytes } from './aes-gcm';
import type { Sealed } from './contract';

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;

/** Opens and makes seals of one account. Derived, so that the account's secret key itself encrypts nothing. */
export interface SealKey {
  /** Tells keys apart and reveals nothing of them. */
  readonly id: string;
  readonly key: Uint8Array;
}

/** The seal key of an account: HKDF-SHA256 over its secret key. The same secret always gives the same key and id. */
export function sealKeyOf(secretKey: string): SealKey {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `n8n-nodes-media-service seal ${purpose}`, bytes));
  return { id: derive('key id', KEY_ID_BYTES).toString('hex'), key: derive('key', KEY_BYTES) };
}

/**
 * Encrypts `text` so that only the account's workers can read it, and only for the purpose that `purpose` names (it is
 * authenticated, not stored). AES-256-GCM with a random nonce: sealing the same text twice gives two seals.
 */
export function seal(key: SealKey, text: string, purpose: string): Sealed {
  return { keyId: key.id, sealed: encryptBytes(key.key, Buffer.from(text), purpose).toString('base64url') };
}

/**
 * The text that was sealed for this very purpose with this very key.
 * Throws a `Configuration` error otherwise; it names both key ids and never the content.
 */
export function unseal(key: SealKey, value: unknown, purpose: string): string {
  if (!isSealed(value)) throw unopened('what was found is no seal', 'Internal');
  if (value.keyId !== key.id) {
    throw unopened(`it was made with key ${value.keyId}, this process holds ${key.id}`, 'Configuration');
  }
  try {
    return decryptBytes(key.key, Buffer.from(value.sealed, 'base64url'), purpose).toString('utf8');
  } catch {
    throw unopened('it was cut short, altered, or made for another purpose', 'Internal');
  }
}

export function isSealed(value: unknown): value is Sealed {
  return (
    typeof value === 'object' &&
    value !== null &&
    'keyId' in value &&
    'sealed' in value &&
    typeof value.keyId === 'string' &&
    typeof value.sealed === 'string'
  );
}

/** Binds a part's URL to its session and number, so that no seal can be moved to another part. */
export function partUrlPurpose(uploadId: string, partNumber: number): string {
  return `part URL ${uploadId} ${String(partNumber)}`;
}

/** Binds a source's URL to the label that is shown for it. */
export function sourceUrlPurpose(label: string): string {
  return `source URL ${label}`;
}

/** Binds the proof of a hand-over to its file. */
export function handOverPurpose(path: string): string {
  return `delete ${path}`;
}

function unopened(reason: string, code: 'Configuration' | 'Internal'): MediaServiceError {
  return new MediaServiceError(code, `A sealed value cannot be opened: ${reason}.`, {
    hint: 'The secret key of the account must be the same on the machine that starts uploads and on every worker; after a change start the upload again.',
  });
}
