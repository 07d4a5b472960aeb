import type { Clock } from '../../clock';
import { MediaServiceError } from '../../errors';
import { readStart } from '../../answers/read-answer';
import { systemClock } from '../../system-clock';
import type { HttpAnswer, Transport } from '../../transport/transport';
import { unquoted } from '../answers/session-shape';
import { checkETag } from './etag-check';
import type { Pace } from './bandwidth-limiter';
import type { PartBody } from './part-body';
import { createPartBody } from './part-body';
import { md5Engine } from '../../md5/md5-engine';
import type { PartHash, PartHashFactory } from '../../md5/part-hash';
import { storageErrorOf } from './storage-error';
import { watchThroughput } from './throughput-watch';
import { signsContentType } from './url-life';
import type { SourceReader } from '../sources/source';

export interface PartPutDeps {
  readonly transport: Transport;
  readonly reader: SourceReader;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Default: MD5 on this thread. */
  readonly hash?: PartHashFactory;
  /** Default: as fast as the line bears. */
  readonly pace?: Pace;
}

export interface PartToPut {
  readonly partNumber: number;
  readonly offset: number;
  readonly bytes: number;
  /** Plain. */
  readonly url: string;
  /** Compare storage's ETag with the MD5 of what was sent. */
  readonly verifyMd5: boolean;
  /** Return that MD5, whether or not it is compared. */
  readonly keepMd5?: boolean;
  /** Bytes per second under which the try is given up; 0: any. */
  readonly minimumThroughput: number;
  /** Longest time without a byte, ms. */
  readonly stallMs: number;
  /** Sent whatever the URL signs. Default: `mimeType` where the URL's signature covers the Content-Type, else application/octet-stream. */
  readonly contentType?: string;
  /** The file's. */
  readonly mimeType?: string;
}

export interface PartHooks {
  onBytes(bytesSoFar: number): void;
  /** Bytes wait for bandwidth from now on; then: no longer. */
  onPacing?(waiting: boolean): void;
  readonly signal: AbortSignal;
}

export interface PutResult {
  /** Unquoted. */
  readonly eTag: string;
  /** The ETag is the MD5 of the bytes that were sent. */
  readonly verified: boolean;
  /** Lower-case hex; only with `keepMd5`. */
  readonly md5?: string;
  readonly bytes: number;
  readonly ms: number;
}

const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
const MAX_ERROR_ANSWER_BYTES = 64 * 1024;
/** Storage may take its time to answer once the last byte is there. */
const ANSWER_STALLS = 4;

/**
 * One try to send one part, in a constant amount of memory: a PUT with Content-Length and Content-Type, without Authorization, no redirect
 * followed. The source is closed at every end. api.md, "Upload of each chunk".
 *
 * Rejects with the signal's reason; with `PartStalled` below the minimum throughput; with the source's error (`SourceChanged` …); with
 * storage's (`storageErrorOf`); with `PartCorrupted` where storage's MD5 is not that of the sent bytes (`details.eTag` is storage's); with
 * `UnreadableAnswer` for a success without an ETag. Sending the same part again replaces it.
 */
export async function putPart(deps: PartPutDeps, part: PartToPut, hooks: PartHooks): Promise<PutResult> {
  hooks.signal.throwIfAborted();
  const clock = deps.clock ?? systemClock;
  const from = clock.now();
  const keepMd5 = part.keepMd5 === true;
  const hash = part.verifyMd5 || keepMd5 ? (deps.hash ?? md5Engine.open)() : undefined;
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(hooks.signal.reason);
  hooks.signal.addEventListener('abort', onAbort, { once: true });
  const body = createPartBody({
    partNumber: part.partNumber,
    bytes: part.bytes,
    read: () => deps.reader.read(part.offset, part.bytes, ending.signal),
    hash,
    onBytes: (bytes) => hooks.onBytes(bytes),
    pacing:
      deps.pace === undefined
        ? undefined
        : {
            pace: deps.pace,
            clock,
            signal: ending.signal,
            onWaiting: (waiting) => hooks.onPacing?.(waiting),
          },
  });
  try {
    const answer = await sendWatched({ deps, clock, part, body, ending });
    const eTag = await readETag(answer, part, clock);
    const { verified, md5 } = await verify({ eTag, answer, part, hash, body });
    const digest = keepMd5 && md5 !== undefined ? { md5 } : {};
    return { eTag, verified, ...digest, bytes: part.bytes, ms: clock.now() - from };
  } catch (error) {
    hooks.signal.throwIfAborted();
    throw error;
  } finally {
    hooks.signal.removeEventListener('abort', onAbort);
    ending.abort();
    hash?.close();
    await body.close();
  }
}

interface Sending {
  readonly deps: PartPutDeps;
  readonly clock: Clock;
  readonly part: PartToPut;
  readonly body: PartBody;
  readonly ending: AbortController;
}

async function sendWatched({ deps, clock, part, body, ending }: Sending): Promise<HttpAnswer> {
  const watching = new AbortController();
  let stall: unknown;
  const watch = watchThroughput(part, {
    // Time in which bytes were held back on purpose is no stall and no trickle.
    clock: { now: () => clock.now() - body.pacedMs(), sleep: (ms, signal) => clock.sleep(ms, signal) },
    // What waits for storage's answer no longer waits for bytes: that time is the transport's to bound.
    bytesSoFar: () => (body.bytesSoFar() < part.bytes ? body.bytesSoFar() : endWatch(watching, part.bytes)),
    signal: watching.signal,
  }).catch((error: unknown) => {
    stall = error;
    ending.abort(error);
  });
  try {
    return await deps.transport.send({
      method: 'PUT',
      url: part.url,
      headers: { 'content-type': contentTypeOf(part), 'content-length': String(part.bytes) },
      body: body.stream,
      signal: ending.signal,
      timeouts: { headersMs: part.stallMs * ANSWER_STALLS },
    });
  } catch (error) {
    // The transport's error would only say that its body ended early.
    throw stall ?? body.failure() ?? error;
  } finally {
    watching.abort();
    await watch;
  }
}

function endWatch(watching: AbortController, bytes: number): number {
  watching.abort();
  return bytes;
}

function contentTypeOf({ url, contentType, mimeType }: PartToPut): string {
  return contentType ?? (signsContentType(url) ? mimeType : undefined) ?? DEFAULT_CONTENT_TYPE;
}

async function readETag(answer: HttpAnswer, { partNumber }: PartToPut, clock: Clock): Promise<string> {
  const { status, headers } = answer;
  if (status < 200 || status >= 300) {
    const text = await readStart(answer.body, MAX_ERROR_ANSWER_BYTES);
    throw storageErrorOf({ partNumber, status, headers, text, now: clock.now() });
  }
  await readStart(answer.body, MAX_ERROR_ANSWER_BYTES);
  const eTag = unquoted((headers['etag'] ?? '').replace(/^W\//, ''));
  if (eTag !== '') return eTag;
  throw new MediaServiceError(
    'UnreadableAnswer',
    `part ${partNumber}: storage answered ${status} without an ETag, which complete needs`,
    {
      operation: `part ${partNumber}`,
      status,
      outcome: 'ambiguous',
      hint: 'A proxy or gateway between here and storage may drop the ETag header, or the address is not that of storage.',
      details: { partNumber },
    },
  );
}

interface Verification {
  readonly eTag: string;
  readonly answer: HttpAnswer;
  readonly part: PartToPut;
  readonly hash: PartHash | undefined;
  readonly body: PartBody;
}

async function verify({
  eTag,
  answer,
  part,
  hash,
  body,
}: Verification): Promise<{ verified: boolean; md5: string | undefined }> {
  const { partNumber, bytes } = part;
  if (body.failure() !== undefined) throw body.failure();
  if (body.bytesGiven() !== bytes) {
    throw corrupted(part, `storage answered after ${body.bytesGiven()} of ${bytes} bytes`, { partNumber });
  }
  const md5 = await hash?.digest();
  const verdict = checkETag({ eTag, md5: part.verifyMd5 ? md5 : undefined, headers: answer.headers });
  if (verdict !== 'mismatch') return { verified: verdict === 'verified', md5 };
  throw corrupted(part, 'the MD5 that storage reports is not that of the bytes that were sent', {
    partNumber,
    eTag,
  });
}

function corrupted(
  { partNumber }: PartToPut,
  what: string,
  details: Readonly<Record<string, string | number>>,
): MediaServiceError {
  return new MediaServiceError('PartCorrupted', `part ${partNumber}: ${what}`, {
    operation: `part ${partNumber}`,
    outcome: 'ambiguous',
    details,
  });
}
