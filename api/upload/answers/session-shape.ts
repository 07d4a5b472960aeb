import { MediaServiceError } from '../../errors';
import type { JsonObject, JsonValue } from '../../json';
import { isJsonObject } from '../../json';
import { outlineOf } from '../../answers/outline';
import { redact } from '../../answers/redact';
import { remoteText } from '../../answers/remote-text';
import type { SessionPart, UploadSession } from '../session/session';

/** Names that a service may wrap the session in. */
const WRAPPERS: readonly string[] = ['data', 'result', 'session', 'upload', 'uploadSession', 'item'];

/**
 * The upload session in an answer, which may stand one level deep; unknown fields are kept in `raw`. The status comes in upper case, URLs
 * lose their query, ETags their quotes; the reason of a failure is redacted and shortened (`remoteText`). Rejects an answer without a status with `UnreadableAnswer`. api.md, "Upload session".
 */
export function parseSession(
  value: JsonValue,
  asked: { operation: string; uploadId: string },
): UploadSession {
  const { operation, uploadId } = asked;
  const session = sessionIn(value);
  if (session === undefined) {
    throw new MediaServiceError(
      'UnreadableAnswer',
      `${operation}: expected an object with status, got ${outlineOf(value)}`,
      { operation, outcome: 'ambiguous' },
    );
  }
  if (isOf(session, uploadId)) return sessionOf(session, uploadId);
  throw new MediaServiceError('UnreadableAnswer', `${operation}: the answer is about another upload`, {
    operation,
    outcome: 'ambiguous',
    hint: 'A proxy or cache between here and the service may have mixed up its answers. Ask the operator of the service.',
    details: { uploadId },
  });
}

/** The same where an answer need not hold a session (that of `complete`); undefined also for another upload's. */
export function findSession(value: JsonValue, uploadId: string): UploadSession | undefined {
  const session = sessionIn(value);
  return session !== undefined && isOf(session, uploadId) ? sessionOf(session, uploadId) : undefined;
}

function isOf(session: JsonObject, uploadId: string): boolean {
  return (text(session, 'uploadId') ?? uploadId).toLowerCase() === uploadId.toLowerCase();
}

function sessionIn(value: JsonValue): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const candidates: JsonValue[] = [value, ...WRAPPERS.map((name) => value[name] ?? null)];
  return candidates.filter(isJsonObject).find((one) => text(one, 'status') !== undefined);
}

function sessionOf(object: JsonObject, uploadId: string): UploadSession {
  const mediaId = text(object, 'mediaId');
  const fileUrl = text(object, 'fileUrl');
  const failureReason = remoteText(text(object, 'failureReason') ?? '');
  const sanitizedTitle = text(object, 'sanitizedTitle');
  return {
    uploadId,
    status: (text(object, 'status') ?? '').toUpperCase(),
    ...(mediaId === undefined ? {} : { mediaId }),
    ...(fileUrl === undefined ? {} : { fileUrl: withoutQuery(fileUrl) }),
    ...(failureReason === undefined ? {} : { failureReason }),
    ...(sanitizedTitle === undefined ? {} : { sanitizedTitle }),
    parts: partsOf(object['parts']),
    raw: withoutSignatures(object),
  };
}

function partsOf(value: JsonValue | undefined): SessionPart[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).flatMap((part) => {
    const partNumber = Number(text(part, 'partNumber') ?? Number.NaN);
    const eTag = text(part, 'eTag');
    return Number.isInteger(partNumber) && eTag !== undefined ? [{ partNumber, eTag: unquoted(eTag) }] : [];
  });
}

/** An ETag as it is compared and sent: without quotes. */
export function unquoted(eTag: string): string {
  return eTag.trim().replace(/^"(.*)"$/, '$1');
}

/** A field whose name may differ in case, as text; undefined where it is missing, null or empty. */
export function text(object: JsonObject, name: string): string | undefined {
  const value = object[name] ?? Object.entries(object).find(([key]) => sameName(key, name))?.[1];
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function sameName(key: string, name: string): boolean {
  return key.replace(/[_-]/g, '').toLowerCase() === name.toLowerCase();
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/** Whether a word of the text is a URL whose query can sign it. Word by word, so that no text is read more than once. */
function holdsSignedUrl(text: string): boolean {
  return text.split(/\s+/).some((word) => {
    const url = word.search(/https?:\/\//i);
    const query = url === -1 ? -1 : word.indexOf('?', url);
    return query !== -1 && /x-amz-|x-goog-|signature=|sig=|token=/i.test(word.slice(query));
  });
}

/** Keeps what we do not know, but no usable URL. */
function withoutSignatures(object: JsonObject): JsonObject {
  const clean = (value: JsonValue, key: string): JsonValue => {
    if (Array.isArray(value)) return value.map((child) => clean(child, key));
    if (isJsonObject(value)) return withoutSignatures(value);
    if (typeof value !== 'string') return value;
    if (sameName(key, 'failureReason')) return remoteText(value) ?? '';
    if (sameName(key, 'fileUrl')) return withoutQuery(value);
    if (!holdsSignedUrl(value)) return value;
    return /^https?:\S*$/i.test(value) ? withoutQuery(value) : redact(value);
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, clean(value, key)]));
}
