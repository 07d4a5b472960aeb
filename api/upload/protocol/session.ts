import { MediaServiceError, errorWith, hasCode } from '../../errors';
import type { ErrorFacts } from '../../errors';
import { given, isJsonObject, textAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { outlineOf, remoteText, unreadable, parseJson } from '../../answers/read-answer';
import { isPassingRefusal } from '../../retry';
import type { Service } from '../../service/service';
import { pathSegment } from '../../service/encoded';

/** The operation, in the interface's words. */
export const READ_SESSION = 'upload session status';

/** Pause between two reads that must agree, ms: a `complete` may still be on its way, or the service starting again. */
export const SECOND_READ_MS = 5_000;

/** Texts of a session that are passed on as they come. */
const TEXTS = ['mediaId', 'sanitizedTitle', 'creator', 'bucketName', 'keyName', 's3UploadId'] as const;

/** An upload session as read by GET {upload_url}/upload/{uploadId}. */
export interface UploadSession extends Readonly<Partial<Record<(typeof TEXTS)[number], string>>> {
  readonly uploadId: string;
  /** In upper case; may be a value that the interface does not list, of at most 500 characters. */
  readonly status: string;
  /** Without its query. */
  readonly fileUrl?: string;
  readonly failureReason?: string;
  readonly parts: readonly SessionPart[];
}

/** `givesUrls`: its parts can get fresh URLs. */
export type EarlierRead = UploadSession & { readonly givesUrls: boolean };

export interface SessionPart {
  readonly partNumber: number;
  /** Unquoted. */
  readonly eTag: string;
}

/**
 * What the session's status says about a `complete` with an unknown answer. `arrived`: PENDING_COMPLETE, COMPLETED or
 * FAILED. `not-arrived`: INITIALIZED or PARTIAL. `unknown`: a status that the interface does not list.
 * docs/decisions/start-and-complete.
 */
export type Arrival = 'arrived' | 'not-arrived' | 'unknown';

export function arrivalOf(status: string): Arrival {
  if (status === 'PENDING_COMPLETE' || isTerminal(status)) return 'arrived';
  return status === 'INITIALIZED' || status === 'PARTIAL' ? 'not-arrived' : 'unknown';
}

export function completeAmbiguous(uploadId: string, status: string, cause?: unknown): MediaServiceError {
  return new MediaServiceError(
    'CompleteAmbiguous',
    `upload complete: its answer was lost, and the session's status ${status} does not say whether it arrived`,
    {
      operation: 'upload complete',
      outcome: 'ambiguous',
      hint: 'Read the session again later: PENDING_COMPLETE, COMPLETED or FAILED mean that complete arrived.',
      details: { uploadId, status },
    },
    { cause },
  );
}

/**
 * Returns whether these facts of an error mean that the service itself does not know the session. A gateway's page does
 * not.
 */
export function isUnknownSession({ operation, status, details }: ErrorFacts): boolean {
  return operation === READ_SESSION && (status === 400 || status === 404) && details?.['passing'] !== true;
}

/** Returns whether polling ends with this status. */
export function isTerminal(status: string): boolean {
  return status === 'COMPLETED' || status === 'FAILED';
}

/** Names of objects that a service may wrap around the session. */
const WRAPPERS: readonly string[] = ['data', 'result', 'session', 'upload', 'uploadSession', 'item'];

/**
 * Reads the upload session in an answer, which may be one level deep. The status is in
 * upper case; URLs lose their query, ETags their quotes. Status and reason of a failure are redacted and shortened
 * (`remoteText`), since messages quote them. Throws `UnreadableAnswer` if there is no status. api.md, "Upload session".
 */
export function parseSession(
  value: JsonValue,
  asked: { operation: string; uploadId: string },
): UploadSession {
  const { operation, uploadId } = asked;
  const session = sessionIn(value);
  if (session === undefined) {
    throw unreadable(operation, `expected an object with status, got ${outlineOf(value)}`);
  }
  const ownId = textAt(session, ['uploadId']) ?? uploadId;
  if (ownId.toLowerCase() === uploadId.toLowerCase()) return sessionOf(session, uploadId);
  throw unreadable(operation, 'the answer is about another upload', {
    hint: 'A proxy or cache between here and the service may have mixed up its answers. Ask the operator of the service.',
    details: { uploadId },
  });
}

function sessionIn(value: JsonValue): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const candidates: JsonValue[] = [value, ...WRAPPERS.map((name) => value[name] ?? null)];
  return candidates.filter(isJsonObject).find((one) => textAt(one, ['status']) !== undefined);
}

function sessionOf(object: JsonObject, uploadId: string): UploadSession {
  return {
    uploadId,
    status: (remoteText(textAt(object, ['status']) ?? '') ?? '').toUpperCase(),
    ...given(Object.fromEntries(TEXTS.map((name) => [name, textAt(object, [name])]))),
    ...given({
      fileUrl: withoutQuery(textAt(object, ['fileUrl'])),
      failureReason: remoteText(textAt(object, ['failureReason']) ?? ''),
    }),
    parts: partsOf(object['parts']),
  };
}

function partsOf(value: JsonValue | undefined): SessionPart[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).flatMap((part) => {
    const partNumber = Number(textAt(part, ['partNumber']) ?? Number.NaN);
    const eTag = textAt(part, ['eTag']);
    return Number.isInteger(partNumber) && eTag !== undefined ? [{ partNumber, eTag: unquoted(eTag) }] : [];
  });
}

/** Returns an ETag without quotes, for comparing and sending. */
export function unquoted(eTag: string): string {
  return eTag.trim().replace(/^"(.*)"$/, '$1');
}

function withoutQuery(url: string | undefined): string | undefined {
  return url?.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}

/**
 * Reads an upload session. Rejects with the service's 400 (404) if it does not know the id. Rejects with a retryable error if a gateway answers, or if the
 * answer is no session, or another upload's. Rejects with `ValidationError` for an id that can't be part of an address. api.md, "GET
 * {upload_url}/upload/{uploadId}".
 */
export async function readSession(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  const url = `${service.account.uploadUrl}/upload/${pathSegment('uploadId', uploadId)}`;
  try {
    const answer = await service.call({
      operation: READ_SESSION,
      method: 'GET',
      url,
      idempotent: true,
      signal,
    });
    return parseSession(parseJson(READ_SESSION, answer), { operation: READ_SESSION, uploadId });
  } catch (error) {
    throw isPassingRefusal(error) || hasCode(error, 'UnreadableAnswer') ? passing(error) : error;
  }
}

/**
 * Reads a session that the service once confirmed. It counts as unknown only if the service says so twice, some seconds
 * apart: after the first time, it may only be starting again.
 */
export async function readKnownSession(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  try {
    return await readSession(service, uploadId, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError && isUnknownSession(error.facts))) throw error;
    await service.clock.sleep(SECOND_READ_MS, signal);
    return readSession(service, uploadId, signal);
  }
}

/**
 * The session was started at this address. So an answer that is not the service's, such as a proxy's page, is
 * temporary.
 */
export function passing(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  return errorWith(error, { details: { ...error.facts.details, permanent: false } });
}

/**
 * Reads the session after a `complete` that may have arrived: twice, some seconds apart, unless the first read shows
 * that it did. It did not arrive if both reads say so. A read that fails is ambiguous: nobody knows whether it arrived.
 */
export async function readTwice(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<EarlierRead> {
  const givesUrls = service.options.additionalUrls !== undefined;
  const first = await readAfterSending(service, uploadId, signal);
  if (arrivalOf(first.status) === 'arrived') return { ...first, givesUrls };
  await service.clock.sleep(SECOND_READ_MS, signal);
  return { ...(await readAfterSending(service, uploadId, signal)), givesUrls };
}

export async function readAfterSending(
  service: Service,
  uploadId: string,
  signal?: AbortSignal,
): Promise<UploadSession> {
  try {
    return await readKnownSession(service, uploadId, signal);
  } catch (error) {
    if (!(error instanceof MediaServiceError) || error.code === 'Cancelled') throw error;
    throw errorWith(error, { outcome: 'ambiguous' });
  }
}
