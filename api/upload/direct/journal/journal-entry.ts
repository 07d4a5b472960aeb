import { createHash } from 'node:crypto';
import { canonicalJson, isRecord } from '../../../json';
import type { UploadRequest, UploadResult } from '../../request/upload-request';
import type { PartResult, PartUrl } from '../../upload-steps';

export const JOURNAL_SCHEMA = 1;

/**
 * What one upload leaves for the next run under the same ingest key. Plain JSON; it contains no token and no readable
 * pre-signed URL.
 */
export interface JournalEntry {
  readonly schema: number;
  readonly accountId: string;
  readonly ingestKey: string;
  /** Digest of media and metadata, see `meaningOf`. */
  readonly meaning: string;
  /** As requested, so that the next run cuts the file into the same parts. */
  readonly plan: Pick<UploadRequest['options'], 'partBytes' | 'maxParts'>;
  /** Size of the source. */
  readonly bytes: number;
  readonly amountOfParts: number;
  /** Unset: `start` was about to be sent, and its answer is not known. */
  readonly session?: {
    readonly uploadId: string;
    readonly mediaId?: string;
    /** Sealed. */
    readonly urls: readonly PartUrl[];
  };
  readonly parts: readonly JournalPart[];
  /** `complete` was sent, or was about to be. */
  readonly completeSent: boolean;
  /** Set once the upload ended COMPLETED; then its session has no URLs. */
  readonly result?: UploadResult;
}

export interface JournalPart extends PartResult {
  readonly offset: number;
  /** Our own MD5 of the sent bytes: storage may be unable to confirm it, or nobody asked. */
  readonly md5: string;
  /** Fingerprint of the source that the part was read from. */
  readonly fingerprint: string;
}

/**
 * Returns the same text for two requests with the same media fields and metadata, whatever the order of their fields.
 */
export function meaningOf({ media, metadata }: Pick<UploadRequest, 'media' | 'metadata'>): string {
  const text = canonicalJson({ media, metadata: metadata ?? {} });
  return createHash('sha256').update(text).digest('hex');
}

/** Returns whether a value is an entry of this schema. A newer schema is not. */
export function isJournalEntry(value: unknown): value is JournalEntry {
  return (
    isRecord(value) &&
    value['schema'] === JOURNAL_SCHEMA &&
    typeof value['accountId'] === 'string' &&
    typeof value['ingestKey'] === 'string' &&
    typeof value['meaning'] === 'string' &&
    isRecord(value['plan']) &&
    typeof value['bytes'] === 'number' &&
    typeof value['amountOfParts'] === 'number' &&
    typeof value['completeSent'] === 'boolean' &&
    isSession(value['session']) &&
    isResult(value['result']) &&
    Array.isArray(value['parts']) &&
    value['parts'].every(isPart)
  );
}

function isSession(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    isRecord(value) &&
    typeof value['uploadId'] === 'string' &&
    Array.isArray(value['urls']) &&
    value['urls'].every((url) => isRecord(url) && typeof url['partNumber'] === 'number')
  );
}

function isResult(value: unknown): boolean {
  if (value === undefined) return true;
  return (
    isRecord(value) &&
    typeof value['uploadId'] === 'string' &&
    typeof value['fileName'] === 'string' &&
    value['status'] === 'COMPLETED' &&
    Array.isArray(value['parts']) &&
    Array.isArray(value['orphans'])
  );
}

function isPart(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['partNumber', 'offset', 'bytes', 'attempts', 'ms'].every((name) => Number.isInteger(value[name])) &&
    typeof value['eTag'] === 'string' &&
    typeof value['md5'] === 'string' &&
    typeof value['fingerprint'] === 'string' &&
    typeof value['verified'] === 'boolean'
  );
}
