import type { IncomingMessage } from 'node:http';
import { type Json, type JsonRecord, isJsonRecord, parseJson } from '../json';
import { Refusal, refuseUnless } from './answer';

/**
 * The bytes of a message as they arrive. If the consumer stops early, the connection stays open, so that the client
 * still gets an answer.
 */
export function piecesOf(message: IncomingMessage): AsyncIterable<Buffer> {
  return message.iterator({ destroyOnReturn: false });
}

/** Limit of 16 MB for documents (api.md, Limits), plus space for the JSON around tags and metadata. */
const MAX_BYTES = 20 * 1024 * 1024;

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const piece of piecesOf(request)) {
    bytes += piece.length;
    if (bytes > MAX_BYTES) throw new Refusal(413, 'The request body is too large.');
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/.exec(headers.authorization ?? '')?.[1];
}

/** "JSON bodies use Content-Type application/json" (api.md, Common). */
export function requireJsonType(request: IncomingMessage): void {
  const type = request.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-?8"?\s*)?$/i.test(type)) {
    throw new Refusal(415, 'Content-Type must be application/json.');
  }
}

export async function readRecord(request: IncomingMessage): Promise<JsonRecord> {
  requireJsonType(request);
  return recordOf(await readBytes(request));
}

export function recordOf(bytes: Uint8Array): JsonRecord {
  const value = parseJson(new TextDecoder().decode(bytes));
  refuseUnless(isJsonRecord(value), 'The request body is not a JSON object.');
  return value;
}

/** Strict: a field that the interface does not have is a client's mistake, so it is not ignored. */
export function refuseUnknownFields(record: JsonRecord, known: readonly string[], where: string): void {
  const unknown = Object.keys(record).filter((key) => !known.includes(key));
  const shown = unknown.slice(0, 5).join(', ');
  refuseUnless(unknown.length === 0, `${where} has fields that are not known: ${shown}.`);
}

/** @throws Refusal 400 with this message unless the value is a whole number from 1 to `max`. */
export function readCount(value: Json | undefined, max: number, refusal: string): number {
  const count = Number.isInteger(value) ? Number(value) : 0;
  refuseUnless(count >= 1 && count <= max, refusal);
  return count;
}

const ISO_WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Epoch ms, or undefined if the text is not an ISO 8601 date-time with a zone. */
export function readIsoWithZone(text: string): number | undefined {
  if (!ISO_WITH_ZONE.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
