import type { Clock } from '../../clock';
import { readStart } from '../../answers/read-answer';
import type { HttpAnswer, Transport } from '../../transport/transport';
import { unquoted } from '../protocol/session';
import { checkETag, storageErrorOf, signsContentType } from './storage';
import type { ByteLimiter } from './admission';
import { createPartBody, partError, watchStall } from './part-body';
import type { PartBody } from './part-body';
import { md5OfNode } from '../../md5/part-hash';
import type { PartHashFactory } from '../../md5/part-hash';
import type { SourceReader } from '../sources/source';
import type { PartInput, PartResult } from '../types';

export interface PartRequestDeps {
  readonly transport: Transport;
  readonly reader: SourceReader;
  readonly clock: Clock;
  /** Default: MD5 of Node's own crypto. */
  readonly hash?: PartHashFactory;
  /** Default: no limit. */
  readonly byteLimiter?: ByteLimiter;
}

type PartRules = 'partNumber' | 'offset' | 'bytes' | 'verifyMd5' | 'stallMs' | 'mimeType';

export interface PartRequest extends Pick<PartInput, PartRules> {
  /** Unsealed. */
  readonly url: string;
  /** Longest wait for storage's answer after the last byte, ms. Default: four times `stallMs`. */
  readonly answerMs?: number;
  /**
   * Always sent, whatever the URL signs. Default: `mimeType` if the URL's signature covers the Content-Type, else
   * application/octet-stream.
   */
  readonly contentType?: string;
}

export interface PartHooks {
  onBytes?(bytesSoFar: number): void;
  readonly signal: AbortSignal;
}

export type PartRequestResult = Omit<PartResult, 'partNumber' | 'attempts'>;

const DEFAULT_CONTENT_TYPE = 'application/octet-stream';
const MAX_ERROR_ANSWER_BYTES = 64 * 1024;
/** Storage may take longer to answer once it has the last byte. */
export const ANSWER_STALLS = 4;
/** One reason for all parts: without it, every abort creates an error with its stack. */
const ENDED = new Error('The part has ended.');

/**
 * Tries once to send one part, in a constant amount of memory. It sends a PUT with Content-Length and Content-Type,
 * without Authorization, and follows no redirect. It always closes the source. Sending the same part again replaces it.
 * api.md, "Upload of each chunk".
 *
 * Rejects with:
 * - the signal's reason;
 * - `PartStalled` if no byte left for `stallMs`;
 * - the source's error (`SourceChanged` …);
 * - storage's error (`storageErrorOf`);
 * - `PartCorrupted` if storage's MD5 is not that of the sent bytes (`details.eTag` is storage's);
 * - `UnreadableAnswer` for a success without an ETag.
 */
export async function requestPart(
  deps: PartRequestDeps,
  part: PartRequest,
  hooks: PartHooks,
): Promise<PartRequestResult> {
  hooks.signal.throwIfAborted();
  const { clock, hash: openHash = md5OfNode } = deps;
  const from = clock.now();
  const hash = part.verifyMd5 ? openHash() : undefined;
  const ending = new AbortController();
  const onAbort = (): void => ending.abort(hooks.signal.reason);
  hooks.signal.addEventListener('abort', onAbort, { once: true });
  const body = createPartBody({
    partNumber: part.partNumber,
    bytes: part.bytes,
    read: () => deps.reader.read(part.offset, part.bytes, ending.signal),
    hash,
    onBytes: (bytes) => hooks.onBytes?.(bytes),
    byteLimit: deps.byteLimiter && { byteLimiter: deps.byteLimiter, clock, signal: ending.signal },
  });
  try {
    const answer = await sendWatched({ deps, part, body, ending });
    const eTag = await readETag(answer, part, clock);
    const verified = await verify(eTag, answer, { part, body });
    // Storage may answer long after the last byte was read: a file that grew meanwhile must not be completed.
    await deps.reader.requireUnchanged?.(part.offset + part.bytes, ending.signal);
    return { eTag, verified, bytes: part.bytes, ms: clock.now() - from };
  } catch (error) {
    hooks.signal.throwIfAborted();
    throw error;
  } finally {
    hooks.signal.removeEventListener('abort', onAbort);
    ending.abort(ENDED);
    hash?.close();
    await body.close();
  }
}

interface Sending {
  readonly deps: PartRequestDeps;
  readonly part: PartRequest;
  readonly body: PartBody;
  readonly ending: AbortController;
}

async function sendWatched({ deps, part, body, ending }: Sending): Promise<HttpAnswer> {
  const { clock } = deps;
  const watching = new AbortController();
  let stall: unknown;
  const watch = watchStall(part, {
    // Time during which bytes were held back on purpose is no stall.
    clock: { now: () => clock.now() - body.limitedMs(), sleep: (ms, signal) => clock.sleep(ms, signal) },
    // After the last byte, the part waits only for storage's answer. The transport limits that time.
    bytesSoFar: () => (body.bytesSoFar() < part.bytes ? body.bytesSoFar() : endWatch(watching, part.bytes)),
    waitsForSource: () => body.waitsForSource(),
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
      timeouts: { headersMs: part.answerMs ?? part.stallMs * ANSWER_STALLS },
    });
  } catch (error) {
    // The transport's error would only say that its body ended early.
    throw stall ?? body.failure() ?? error;
  } finally {
    watching.abort(ENDED);
    await watch;
  }
}

function endWatch(watching: AbortController, bytes: number): number {
  watching.abort(ENDED);
  return bytes;
}

function contentTypeOf({ url, contentType, mimeType }: PartRequest): string {
  return contentType ?? (signsContentType(url) ? mimeType : undefined) ?? DEFAULT_CONTENT_TYPE;
}

async function readETag(answer: HttpAnswer, { partNumber, url }: PartRequest, clock: Clock): Promise<string> {
  const { status, headers } = answer;
  if (status < 200 || status >= 300) {
    const text = await readStart(answer.body, MAX_ERROR_ANSWER_BYTES);
    throw storageErrorOf({ partNumber, url, status, headers, text, now: clock.now() });
  }
  await readStart(answer.body, MAX_ERROR_ANSWER_BYTES);
  const eTag = unquoted((headers['etag'] ?? '').replace(/^W\//, ''));
  if (eTag !== '') return eTag;
  throw partError('UnreadableAnswer', partNumber, {
    what: `storage answered ${status} without an ETag, which complete needs`,
    status,
    hint: 'A proxy or gateway between here and storage may drop the ETag header, or the address is not that of storage.',
  });
}

async function verify(
  eTag: string,
  { headers }: HttpAnswer,
  { part, body }: Pick<Sending, 'part' | 'body'>,
): Promise<boolean> {
  const { partNumber, bytes } = part;
  if (body.failure() !== undefined) throw body.failure();
  if (body.bytesGiven() !== bytes || !(await body.finish())) {
    const what = `storage answered after ${body.bytesGiven()} of ${bytes} bytes`;
    throw partError('PartCorrupted', partNumber, { what });
  }
  const verdict = checkETag({ eTag, md5: await body.digest(), headers });
  if (verdict !== 'mismatch') return verdict === 'verified';
  throw partError('PartCorrupted', partNumber, {
    what: 'the MD5 that storage reports is not that of the bytes that were sent',
    details: { partNumber, eTag },
  });
}
