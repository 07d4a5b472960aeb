import type { Payload, PayloadCodec } from '@temporalio/common';
import { ConfigurationError } from '../api/errors';
import { isJsonObject } from '../api/json';
import { decryptBytes, encryptBytes } from './seal';

const ENCODING = 'binary/encrypted';
const KEY_BYTES = 32;

interface CodecKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

/**
 * Reads `id:base64-of-32-bytes`; commas or white space separate several keys. The first key encrypts, and all keys
 * decrypt. To change a key, put the new one first everywhere, and remove the old one after the namespace's retention.
 * Throws a `Configuration` error that names the id but never the key.
 */
export function parseCodecKeys(text: string): CodecKey[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  if (entries.length === 0) throw wrongKey('no key given');
  const keys = entries.map((entry) => {
    const colon = entry.indexOf(':');
    if (colon < 1) throw wrongKey('an entry has no id before a colon');
    const id = entry.slice(0, colon);
    const key = Buffer.from(entry.slice(colon + 1), 'base64');
    if (key.length !== KEY_BYTES) throw wrongKey(`key ${id} is not 32 bytes long`);
    return { id, key };
  });
  if (new Set(keys.map(({ id }) => id)).size !== keys.length) throw wrongKey('an id is there twice');
  return keys;
}

function wrongKey(reason: string): ConfigurationError {
  return new ConfigurationError(
    'codecKeys',
    `The payload codec's keys can't be used: ${reason}.`,
    'Write id:key, several separated by commas; a key is 32 random bytes in base64, as from `openssl rand -base64 32`.',
  );
}

/**
 * Encrypts every payload as a whole (AES-256-GCM), so that Temporal and its UI can't see its type or content. Plain
 * payloads can still be read.
 */
export function createCodec(keys: readonly CodecKey[]): PayloadCodec {
  const [current] = keys;
  if (current === undefined) throw wrongKey('no key given');
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    encode: (payloads) => Promise.resolve(payloads.map((payload) => encrypt(current, payload))),
    decode: (payloads) => Promise.resolve(payloads.map((payload) => decrypt(byId, payload))),
  };
}

function encrypt(key: CodecKey, payload: Payload): Payload {
  return {
    metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(key.id) },
    data: encryptBytes(key.key, pack(payload)),
  };
}

function decrypt(byId: ReadonlyMap<string, CodecKey>, payload: Payload): Payload {
  if (textOf(payload.metadata?.['encoding']) !== ENCODING || payload.data == null) return payload;
  const id = textOf(payload.metadata?.['encryption-key-id']);
  const key = byId.get(id);
  if (key === undefined) {
    throw new ConfigurationError(
      'codecKeys',
      `A payload was encrypted with key "${id}", which this process does not hold.`,
      `Add the key of this id to the list of codec keys.`,
    );
  }
  return unpack(decryptBytes(key.key, payload.data));
}

/** Length-prefixed JSON of the metadata, then the unchanged data. */
function pack(payload: Payload): Buffer {
  const metadata = Object.entries(payload.metadata ?? {}).map(([name, value]) => [
    name,
    Buffer.from(value).toString('base64'),
  ]);
  const head = Buffer.from(JSON.stringify(Object.fromEntries(metadata)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(head.length);
  return Buffer.concat([length, head, payload.data ?? new Uint8Array()]);
}

function unpack(packed: Buffer): Payload {
  const end = 4 + packed.readUInt32BE();
  const head: unknown = JSON.parse(packed.toString('utf8', 4, end));
  const metadata: Record<string, Uint8Array> = {};
  for (const [name, value] of Object.entries(isJsonObject(head) ? head : {})) {
    if (typeof value === 'string') metadata[name] = Buffer.from(value, 'base64');
  }
  return { metadata, data: packed.subarray(end) };
}

/** The field of a value that could not be decrypted: the id of its key. */
const UNREADABLE = 'unreadablePayloadKey';

/** Reads what it can: a payload whose key is missing becomes a value that `unreadableKeyOf` recognizes. */
export function createLenientCodec(keys: readonly CodecKey[]): PayloadCodec {
  const byId = new Map(keys.map((key) => [key.id, key]));
  const decode = (payload: Payload): Payload => {
    const id = textOf(payload.metadata?.['encryption-key-id']);
    if (textOf(payload.metadata?.['encoding']) !== ENCODING || byId.has(id)) return decrypt(byId, payload);
    const data = Buffer.from(JSON.stringify({ [UNREADABLE]: id }));
    return { metadata: { encoding: Buffer.from('json/plain') }, data };
  };
  return {
    encode: () => Promise.reject(new Error('This codec only reads.')),
    decode: (payloads) => Promise.resolve(payloads.map(decode)),
  };
}

export function unreadableKeyOf(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value[UNREADABLE] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes == null ? '' : Buffer.from(bytes).toString('utf8');
}
