import { hkdfSync } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MediaServiceError } from '../api/errors';
import { decryptBytes, encryptBytes } from './aes-gcm';
import type { Sealed } from './contract';

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;

/** What pre-signed URLs have in common: a history holds each of them twice. A part of the format, as the key ids are. */
const COMMON = Buffer.from(
  'http://127.0.0.1:https://storage.googleapis.com/https://.s3.amazonaws.com/uploads/.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=AKIA%2F2026%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=2026T000000Z' +
    '&X-Amz-Expires=3600&X-Amz-Security-Token=&X-Amz-Signature=&X-Amz-SignedHeaders=host&partNumber=1&uploadId=&x-id=UploadPart',
);
const DEFLATE = { dictionary: COMMON, windowBits: 11, memLevel: 4, level: 9 };

/** Derived, so that an account's secret key itself encrypts nothing. */
interface SealKey {
  /** Tells keys apart and reveals nothing of them. */
  readonly id: string;
  readonly key: Uint8Array;
}

/** Keys of one account: the current one makes seals, all of them open what it or an earlier one made. */
export interface SealKeys {
  readonly current: SealKey;
  readonly all: ReadonlyMap<string, SealKey>;
}

/**
 * The seal keys of an account: HKDF-SHA256 over its secret key and over those that it had before. The same secret always gives the same key
 * and id.
 */
export function sealKeysOf(secretKey: string, previous: readonly string[] = []): SealKeys {
  const current = derived(secretKey);
  const all = [current, ...previous.map(derived)];
  return { current, all: new Map(all.map((key) => [key.id, key])) };
}

function derived(secretKey: string): SealKey {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secretKey, '', `n8n-nodes-media-service seal ${purpose}`, bytes));
  return { id: derive('key id', KEY_ID_BYTES).toString('hex'), key: derive('key', KEY_BYTES) };
}

/**
 * Encrypts `text` with the current key, so that only the account's workers can read it, and only for the purpose that `purpose` names (it is
 * authenticated, not stored). AES-256-GCM with a random nonce: sealing the same text twice gives two seals. It is compressed first; its length is no secret.
 */
export function seal({ current }: SealKeys, text: string, purpose: string): Sealed {
  const sealed = encryptBytes(current.key, deflateRawSync(text, DEFLATE), purpose).toString('base64url');
  return { keyId: current.id, sealed };
}

/**
 * The text that was sealed for this very purpose with one of these keys. Throws a `Configuration` error that names the key ids for a seal of
 * another key: it is tried again, since another worker may hold that one. Throws `Internal` for what was altered or is no seal. Neither shows
 * the content.
 */
export function unseal({ all }: SealKeys, value: unknown, purpose: string): string {
  if (!isSealed(value)) throw spoilt('what was found is no seal');
  const key = all.get(value.keyId);
  if (key === undefined) throw unknownKey(value.keyId, [...all.keys()]);
  try {
    const deflated = decryptBytes(key.key, Buffer.from(value.sealed, 'base64url'), purpose);
    return inflateRawSync(deflated, { dictionary: COMMON }).toString('utf8');
  } catch {
    throw spoilt('it was cut short, altered, or made for another purpose');
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

function unknownKey(keyId: string, held: readonly string[]): MediaServiceError {
  const keys = `${held.length === 1 ? 'key' : 'keys'} ${held.join(', ')}`;
  return new MediaServiceError(
    'Configuration',
    `A sealed value can’t be opened: it was made with key ${keyId}, and this process holds ${keys}.`,
    {
      outcome: 'unsent',
      hint: 'After a change of the account’s secret key, give workers the one before in MEDIA_SERVICE_PREVIOUS_SECRET_KEYS (previousSecretKeys in a file of accounts), and the new one to workers that still have the old. What runs goes on by itself then.',
      details: { permanent: false, keyId },
    },
  );
}

function spoilt(reason: string): MediaServiceError {
  return new MediaServiceError('Internal', `A sealed value can’t be opened: ${reason}.`, {
    hint: 'Start what needs it again.',
  });
}
