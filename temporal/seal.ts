import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MediaServiceError } from '../api/errors';
import { isJsonObject } from '../api/json';
import { s3Address } from '../api/upload/sources/source';
import type { S3Source } from '../api/upload/sources/source';
import type { Sealed } from './upload/types';

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;

/**
 * Text that pre-signed URLs have in common, for compression, because a history contains each URL twice. Like the key
 * ids, it is part of the format and must not change.
 */
const COMMON = Buffer.from(
  'http://127.0.0.1:https://storage.googleapis.com/https://.s3.amazonaws.com/uploads/.mp4?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=AKIA%2F2026%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=2026T000000Z' +
    '&X-Amz-Expires=3600&X-Amz-Security-Token=&X-Amz-Signature=&X-Amz-SignedHeaders=host&partNumber=1&uploadId=&x-id=UploadPart',
);
const DEFLATE = { dictionary: COMMON, windowBits: 11, memLevel: 4, level: 9 };

/** A derived key, so that the account's secret key itself never encrypts anything. */
interface SealKey {
  /** Identifies the key without revealing anything of it. */
  readonly id: string;
  readonly key: Uint8Array;
}

/** Keys of one account. `current` makes seals; `all` open seals of the current and earlier keys. */
export interface SealKeys {
  readonly current: SealKey;
  readonly all: ReadonlyMap<string, SealKey>;
}

/**
 * The seal keys of an account: HKDF-SHA256 over its current secret key and its earlier ones. The same secret always
 * gives the same key and id.
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
 * Encrypts `text` with the current key, so that only the account's workers can read it. `purpose` is authenticated but
 * not stored, and the seal opens only for the same purpose. AES-256-GCM with a random nonce, so sealing the same text
 * twice gives two seals. Compresses the text first, because its length is not secret.
 */
export function seal({ current }: SealKeys, text: string, purpose: string): Sealed {
  const sealed = encryptBytes(current.key, deflateRawSync(text, DEFLATE), purpose).toString('base64url');
  return { keyId: current.id, sealed };
}

/**
 * Opens a seal that was made for this purpose with one of these keys. For a seal of another key, throws a
 * `Configuration` error that names the key ids. It is retried, because another worker may have that key. Throws
 * `Internal` if the value was changed or is not a seal. Neither error shows the content.
 */
export function unseal({ all }: SealKeys, value: unknown, purpose: string): string {
  if (!isSealed(value)) throw faulted('it does not have the form of a sealed value');
  const key = all.get(value.keyId);
  if (key === undefined) throw unknownKey(value.keyId, [...all.keys()]);
  try {
    const deflated = decryptBytes(key.key, Buffer.from(value.sealed, 'base64url'), purpose);
    return inflateRawSync(deflated, { dictionary: COMMON }).toString('utf8');
  } catch {
    throw faulted('it was cut short, altered, or made for another purpose');
  }
}

export function isSealed(value: unknown): value is Sealed {
  return isJsonObject(value) && typeof value['keyId'] === 'string' && typeof value['sealed'] === 'string';
}

/** Binds a part's URL to its session and number, so that a seal can't be used for another part. */
export function partUrlPurpose(uploadId: string, partNumber: number): string {
  return `part URL ${uploadId} ${String(partNumber)}`;
}

/** Binds a source's URL to its displayed label. */
export function sourceUrlPurpose(label: string): string {
  return `source URL ${label}`;
}

/** Binds a webhook's sealed URL to its displayed name. */
export function webhookUrlPurpose(key: string): string {
  return `webhook URL ${key}`;
}

/** Binds the proof that an object may be deleted to it. */
export function deletePurpose(object: S3Source): string {
  return `delete ${s3Address(object)}`;
}

function unknownKey(keyId: string, held: readonly string[]): MediaServiceError {
  const keys = `${held.length === 1 ? 'key' : 'keys'} ${held.join(', ')}`;
  return new MediaServiceError(
    'Configuration',
    `A sealed value can't be opened: it was made with key ${keyId}, and this process holds ${keys}.`,
    {
      outcome: 'unsent',
      hint: "If the account's secret key changed, add the previous key to {previousSecretKeys}, and give the new key to workers that still have the old one. Running uploads then continue by themselves.",
      details: { permanent: false, keyId },
    },
  );
}

function faulted(reason: string): MediaServiceError {
  return new MediaServiceError('Internal', `A sealed value can't be opened: ${reason}.`, {
    hint: 'Start the upload, batch or report again.',
  });
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A random nonce, the encrypted bytes and their tag in one buffer. The key has 32 bytes. `purpose` is authenticated,
 * but not stored.
 */
export function encryptBytes(key: Uint8Array, plain: Uint8Array, purpose = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts the output of `encryptBytes`. Throws if it was cut short, changed, or made with another key or for another
 * purpose.
 */
export function decryptBytes(key: Uint8Array, bytes: Uint8Array, purpose = ''): Buffer {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('The encrypted bytes are cut short.');
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]);
}
