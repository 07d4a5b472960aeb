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
 * Encrypts every payload as a whole (AES-256-GCM) with the first key, so that Temporal and its UI can't see its type or
 * content. Without keys, payloads are plain. Plain payloads can always be read. `unknown`: the value of a payload whose
 * key is missing here.
 */
export function createCodec(
  keys: readonly CodecKey[],
  unknown: (keyId: string) => Payload = refuseUnknown,
): PayloadCodec {
  const [current] = keys;
  const byId = new Map(keys.map((key) => [key.id, key]));
  const decode = (payload: Payload): Payload => {
    if (textOf(payload.metadata?.['encoding']) !== ENCODING || payload.data == null) return payload;
    const id = textOf(payload.metadata?.['encryption-key-id']);
    const key = byId.get(id);
    return key === undefined ? unknown(id) : unpack(decryptBytes(key.key, payload.data));
  };
  return {
    encode: async (payloads) =>
      current === undefined ? payloads : payloads.map((payload) => encrypt(current, payload)),
    decode: async (payloads) => payloads.map(decode),
  };
}

function refuseUnknown(keyId: string): never {
  throw new ConfigurationError(
    'codecKeys',
    `A payload was encrypted with key "${keyId}", which this process does not hold.`,
    `Add the key of this id to the list of codec keys.`,
  );
}

function encrypt(key: CodecKey, payload: Payload): Payload {
  return {
    metadata: { encoding: Buffer.from(ENCODING), 'encryption-key-id': Buffer.from(key.id) },
    data: encryptBytes(key.key, pack(payload)),
  };
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

/** The value of a payload whose key is missing: `unreadableKeyOf` recognizes it. */
export function markUnknown(keyId: string): Payload {
  const data = Buffer.from(JSON.stringify({ [UNREADABLE]: keyId }));
  return { metadata: { encoding: Buffer.from('json/plain') }, data };
}

export function unreadableKeyOf(value: unknown): string | undefined {
  const id = isJsonObject(value) ? value[UNREADABLE] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return bytes == null ? '' : Buffer.from(bytes).toString('utf8');
}
