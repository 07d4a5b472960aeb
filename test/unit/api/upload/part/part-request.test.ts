import { MediaServiceError } from '../../../../../api/errors';
import { md5OfNode } from '../../../../../api/md5/part-hash';
import type { PartHashFactory } from '../../../../../api/md5/part-hash';
import { createBandwidthLimiter } from '../../../../../api/upload/part/admission';
import { systemClock } from '../../../../../api/clock';
import { requestPart } from '../../../../../api/upload/part/part-request';
import type {
  PartRequest,
  PartRequestDeps,
  PartRequestResult,
} from '../../../../../api/upload/part/part-request';
import type { SourceReader } from '../../../../../api/upload/sources/source';
import { afterTest } from '../../../../support/after-test';
import { failureOf } from '../failure-of';
import { fakeStorage, md5Of, movingClock, STUCK } from './fake-storage';
import type { Answer } from './fake-storage';

const BODY = Buffer.alloc(3_000_000, 'part');
const MD5 = md5Of(BODY);
const VIDEO = 'video/mp4';
const BINARY = 'application/octet-stream';
const SIGNED = 'X-Amz-SignedHeaders=content-type%3Bhost';
const FOREIGN = '0'.repeat(32);
const BUSY: Answer = { status: 503, code: 'SlowDown', headers: { 'retry-after': '3' } };

/** Reuses one buffer, as the path source does, and reports whether it was closed. */
function readerOf(body: Buffer, options: { failAt?: number } = {}): SourceReader & { closed(): boolean } {
  let closed = false;
  return {
    closed: () => closed,
    async *read(offset, length, signal) {
      const buffer = Buffer.alloc(1024 * 1024);
      try {
        for (let at = offset; at < offset + length;) {
          signal?.throwIfAborted();
          if (at >= (options.failAt ?? Infinity)) throw new MediaServiceError('SourceChanged', 'it changed');
          const bytes = body.copy(buffer, 0, at, Math.min(at + buffer.length, offset + length));
          if (bytes === 0) return;
          yield buffer.subarray(0, bytes);
          at += bytes;
        }
      } finally {
        closed = true;
      }
    },
  };
}

interface Put extends Partial<PartRequestDeps> {
  readonly answer?: Answer;
  readonly onRead?: () => unknown;
  readonly part?: Partial<PartRequest>;
  /** Of the part's URL. */
  readonly query?: string;
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: number) => void;
}

function put({ answer = { status: 200 }, part, query = 'X-Amz-Signature=canary', ...of }: Put = {}) {
  const { onRead, signal = new AbortController().signal, onBytes = () => undefined, ...deps } = of;
  const storage = fakeStorage([answer], onRead);
  const result = requestPart(
    { transport: storage.transport, clock: systemClock, reader: readerOf(BODY), ...deps },
    {
      ...{ partNumber: 7, offset: 0, bytes: BODY.length, verifyMd5: true, stallMs: 600_000 },
      url: `https://s3.example.com/object?${query}`,
      ...part,
    },
    { signal, onBytes },
  );
  return { ...storage, result };
}

/** Reads to the end of the source, whatever range is wanted. */
const greedy = <R extends SourceReader>(reader: R): R => ({
  ...reader,
  read: () => reader.read(0, BODY.length),
});

const throwing = (): void => {
  throw new Error('no progress');
};

describe('the PUT of a part', () => {
  it('streams the range with its length and type, without Authorization, and verifies the MD5', async () => {
    const reader = readerOf(BODY);
    const seen: number[] = [];
    const part = { offset: 1000, bytes: 2_000_000 };
    const { result, puts, bodies } = put({ part, reader, onBytes: (bytes) => seen.push(bytes) });
    expect(await result).toMatchObject({ verified: true, bytes: 2_000_000 });
    expect(bodies[0]?.equals(BODY.subarray(1000, 2_001_000))).toBe(true);
    expect(seen.at(-1)).toBe(2_000_000);
    expect(reader.closed()).toBe(true);
    expect(puts[0]).toMatchObject({ method: 'PUT', body: { bytes: 2_000_000 } });
    expect(puts[0]?.headers).toEqual({ 'content-length': '2000000', 'content-type': BINARY });
  });

  const KMS = { 'x-amz-server-side-encryption': 'aws:kms' };
  it.each<[string, string, boolean, Partial<PartRequest>, Record<string, string>]>([
    ['verified although it looks weak', `W/"${MD5}"`, true, {}, {}],
    ['not verified if nobody wants it', FOREIGN, false, { verifyMd5: false }, {}],
    ['not verifiable under SSE-KMS', FOREIGN, false, {}, KMS],
  ])('has an ETag that is %s', async (_what, eTag, verified, part, headers) => {
    const { ms, ...result } = await put({ answer: { status: 200, eTag, headers }, part }).result;
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(result).toEqual({ eTag: eTag.replace(/^W\/|"/g, ''), bytes: BODY.length, verified });
  });

  it.each([
    ["the file's MIME type if it is signed", SIGNED, { mimeType: VIDEO }, VIDEO],
    ['the same as Google signs it', SIGNED.replace('Amz', 'Goog'), { mimeType: VIDEO }, VIDEO],
    ['its default if it is signed and the file has none', SIGNED, {}, BINARY],
    ['its default if it is not signed', 'X-Amz-SignedHeaders=host', { mimeType: VIDEO }, BINARY],
    ['that of the options', SIGNED, { contentType: 'a/b', mimeType: VIDEO }, 'a/b'],
  ])('sends as its type %s', async (_what, query, part, expected) => {
    const { result, puts } = put({ part, query });
    await result;
    expect(puts[0]?.headers['content-type']).toBe(expected);
  });

  it.each<[string, Put]>([
    ['it is stored', {}],
    ['storage refuses it', { answer: BUSY }],
    ['its source fails', { reader: readerOf(BODY, { failAt: 1_000_000 }) }],
    ["its progress can't be reported", { onBytes: throwing }],
  ])('closes its hash when %s', async (_how, change) => {
    let open = 0;
    const hash: PartHashFactory = () => {
      open += 1;
      return { ...md5OfNode(), close: () => (open -= 1) };
    };
    const result = await put({ ...change, hash }).result.catch((error: unknown) => error);
    expect(result instanceof Error || (result as PartRequestResult).verified).toBe(true);
    expect(open).toBe(0);
  });

  it('has its digest before storage answers', async () => {
    const seen: string[] = [];
    const hash: PartHashFactory = () => {
      const own = md5OfNode();
      const digest: typeof own.digest = () => {
        seen.push('digest');
        return own.digest();
      };
      return { ...own, digest };
    };
    const { result } = put({ hash, onRead: () => seen.push('answer') });
    expect((await result).verified).toBe(true);
    expect(seen).toEqual(['digest', 'answer']);
  });

  it.each([
    ['and storage refuses it', BUSY, 'StorageBusy'],
    ['and storage takes it', { status: 200 }, 'its digest failed'],
  ])('reports only what matters if its digest fails, %s', async (_how, answer, expected) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    afterTest(() => process.off('unhandledRejection', note));
    const digest = (): Promise<never> => Promise.reject(new Error('its digest failed'));
    const { result } = put({ answer, hash: () => ({ ...md5OfNode(), digest }) });
    const error = await result.catch((reason: unknown) => reason);
    expect(error instanceof MediaServiceError ? error.code : String(error)).toContain(expected);
    expect(unhandled).toEqual([]);
  });

  it.each<[string, Answer, string]>([
    ['a foreign ETag', { status: 200, eTag: `"${FOREIGN}"` }, 'PartCorrupted'],
    ['a success without an ETag', { status: 200, eTag: '' }, 'UnreadableAnswer'],
    ['storage that is busy', BUSY, 'StorageBusy'],
    ['a redirect', { status: 307, code: 'TemporaryRedirect' }, 'StorageRefused'],
  ])("reports %s with the right error, without the URL's query", async (_what, answer, code) => {
    const error = await failureOf(put({ answer }).result);
    expect(error.code).toBe(code);
    expect(JSON.stringify([error.message, error.facts])).not.toContain('canary');
    expect(error.facts.retryAfterMs).toBe(code === 'StorageBusy' ? 3000 : undefined);
  });

  it.each([
    ['fails in the middle', 'changed', readerOf(BODY, { failAt: 1_048_576 })],
    ['returns too few bytes', 'fewer', readerOf(BODY.subarray(0, 2_000_000))],
    ['returns too many bytes', 'more', greedy(readerOf(BODY))],
  ])('ends as SourceChanged if its source %s', async (_what, says, reader) => {
    const { code, message } = await failureOf(put({ reader, part: { bytes: 2_500_000 } }).result);
    expect([code, message]).toEqual(['SourceChanged', expect.stringContaining(says)]);
    expect(reader.closed()).toBe(true);
  });

  it('looks at its source once more when storage has answered, and is not taken if that changed', async () => {
    const order: (string | number)[] = [];
    const reader: SourceReader = {
      ...readerOf(BODY),
      async requireUnchanged(end) {
        order.push(end);
        throw new MediaServiceError('SourceChanged', 'it grew');
      },
    };
    const part = { offset: 1000, bytes: 2000 };
    const { result } = put({ part, reader, onRead: () => order.push('answered') });
    expect((await failureOf(result)).code).toBe('SourceChanged');
    expect(order).toEqual(['answered', 3000]);
  });

  it('accepts an empty chunk after the last byte', async () => {
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield BODY;
      yield Buffer.alloc(0);
    };
    expect(await put({ reader: { read } }).result).toMatchObject({ verified: true });
  });

  it('closes its source if it stalls, or its signal says so halfway', async () => {
    const [stalled, stopped] = [readerOf(BODY), readerOf(BODY)];
    const { result } = put({ transport: STUCK, reader: stalled, clock: movingClock() });
    expect((await failureOf(result)).code).toBe('PartStalled');
    const ending = new AbortController();
    const transport = {
      send: (request: Parameters<typeof STUCK.send>[0]) => {
        setImmediate(() => ending.abort(new Error('enough')));
        return STUCK.send(request);
      },
    };
    await expect(put({ transport, reader: stopped, signal: ending.signal }).result).rejects.toThrow('enough');
    expect([stalled.closed(), stopped.closed()]).toEqual([true, true]);
  });
});

it('a part that waits for bandwidth ends with its signal', async () => {
  const aborting = new AbortController();
  const limiter = createBandwidthLimiter(1_000, systemClock);
  const take: typeof limiter.take = (bytes, signal) => {
    const waiting = limiter.take(bytes, signal);
    aborting.abort(new Error('enough'));
    return waiting;
  };
  const { result } = put({ byteLimiter: { ...limiter, take }, signal: aborting.signal });
  await expect(result).rejects.toThrow('enough');
});
