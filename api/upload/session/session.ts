import { MediaServiceError } from '../../errors';
import type { ErrorFacts } from '../../errors';
import { given, isJsonObject, textAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';
import { outlineOf, remoteText, unreadable } from '../../answers/read-answer';

/** The operation, in the interface's words. */
export const READ_SESSION = 'upload session status';

/** Pause between two reads that must agree, ms: a `complete` may still be on its way, or the service starting again. */
export const SECOND_READ_MS = 5_000;

/** An upload session as read by GET {upload_url}/upload/{uploadId}. */
export interface UploadSession {
  readonly uploadId: string;
  readonly mediaId?: string;
  /** In upper case; may be a value that the interface does not list, of at most 500 characters. */
  readonly status: string;
  /** Without its query. */
  readonly fileUrl?: string;
  readonly failureReason?: string;
  readonly sanitizedTitle?: string;
  readonly creator?: string;
  readonly bucketName?: string;
  readonly keyName?: string;
  readonly s3UploadId?: string;
  readonly parts: readonly SessionPart[];
}

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
    ...given({
      mediaId: textAt(object, ['mediaId']),
      fileUrl: withoutQuery(textAt(object, ['fileUrl'])),
      failureReason: remoteText(textAt(object, ['failureReason']) ?? ''),
      sanitizedTitle: textAt(object, ['sanitizedTitle']),
      creator: textAt(object, ['creator']),
      bucketName: textAt(object, ['bucketName']),
      keyName: textAt(object, ['keyName']),
      s3UploadId: textAt(object, ['s3UploadId']),
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
