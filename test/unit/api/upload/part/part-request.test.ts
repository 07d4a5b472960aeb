import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../../api/errors';
import { md5OfNode } from '../../../../../api/md5/part-hash';
import type { PartHashFactory } from '../../../../../api/md5/part-hash';
import { createUndiciTransport } from '../../../../../api/transport/undici-transport';
import { createBandwidthLimiter } from '../../../../../api/upload/part/admission';
import type { ByteLimiter } from '../../../../../api/upload/part/admission';
import { systemClock } from '../../../../../api/clock';
import { requestPart } from '../../../../../api/upload/part/part-request';
import type { PartRequest, PartRequestResult } from '../../../../../api/upload/part/part-request';
import type { SourceReader } from '../../../../../api/upload/sources/source';
import { failureOf } from '../failure-of';
import { readBody, serve } from '../local-server';
import type { LocalServer } from '../local-server';

const BODY = Buffer.alloc(3_000_000, 'part');
const MD5 = createHash('md5').update(BODY).digest('hex');
const VIDEO = 'video/mp4';
const BINARY = 'application/octet-stream';
const FOREIGN = '0'.repeat(32);

let server: LocalServer;
const transport = createUndiciTransport();
afterAll(() => transport.close());

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

interface Put {
  readonly part?: Partial<PartRequest>;
  /** Of the part's URL. */
  readonly query?: string;
  readonly reader?: SourceReader;
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: number) => void;
  readonly byteLimiter?: ByteLimiter;
  readonly hash?: PartHashFactory;
}

async function put(
  listener: RequestListener,
  { part, query = 'X-Amz-Signature=canary', reader, signal, onBytes, byteLimiter, hash }: Put = {},
): Promise<PartRequestResult> {
  server = await serve(listener);
  return requestPart(
    {
      transport,
      clock: systemClock,
      reader: reader ?? readerOf(BODY),
      ...(byteLimiter && { byteLimiter }),
      ...(hash && { hash }),
    },
    {
      partNumber: 7,
      offset: 0,
      bytes: BODY.length,
      url: `${server.origin}/object?${query}`,
      verifyMd5: true,
      stallMs: 600_000,
      ...part,
    },
    {
      signal: signal ?? new AbortController().signal,
      onBytes: onBytes ?? (() => undefined),
    },
  );
}

/** Reads to the end of the source, whatever range is wanted. */
const greedy = <R extends SourceReader>(reader: R): R => ({
  ...reader,
  read: () => reader.read(0, BODY.length),
});

const throwing = (): void => {
  throw new Error('no progress');
};

const storing =
  (eTag: string | undefined, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    void readBody(request).then(() => {
      response.writeHead(200, { ...headers, ...(eTag === undefined ? {} : { etag: eTag }) }).end();
    });
  };

const refusing =
  (status: number, code: string, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    void readBody(request).then(() => {
      const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(xml);
    });
  };

describe('the PUT of a part', () => {
  it('streams the range with its length and type, without Authorization, and verifies the MD5', async () => {
    const bodies: Buffer[] = [];
    const reader = readerOf(BODY);
    const seen: number[] = [];
    const result = await put(
      (request, response) => {
        void readBody(request).then((body) => {
          bodies.push(body);
          const eTag = createHash('md5').update(body).digest('hex').toUpperCase();
          response.writeHead(200, { etag: `"${eTag}"` }).end();
        });
      },
      { part: { offset: 1000, bytes: 2_000_000 }, reader, onBytes: (bytes) => seen.push(bytes) },
    );
    expect(bodies[0]?.equals(BODY.subarray(1000, 2_001_000))).toBe(true);
    expect(result).toMatchObject({ verified: true, bytes: 2_000_000 });
    expect(seen.at(-1)).toBe(2_000_000);
    expect(reader.closed()).toBe(true);
    const headers = server.requests[0]?.headers;
    expect(headers).toMatchObject({
      'content-length': '2000000',
      'content-type': BINARY,
    });
    expect([headers?.authorization, headers?.['transfer-encoding']]).toEqual([undefined, undefined]);
  });

  const KMS = { 'x-amz-server-side-encryption': 'aws:kms' };
  it.each<[string, string, boolean, Partial<PartRequest>, Record<string, string>]>([
    ['verified although it looks weak', `W/"${MD5}"`, true, {}, {}],
    ['not verified if nobody wants it', FOREIGN, false, { verifyMd5: false }, {}],
    ['not verifiable under SSE-KMS', FOREIGN, false, {}, KMS],
  ])('has an ETag that is %s', async (_what, eTag, verified, part, headers) => {
    const { ms, ...result } = await put(storing(eTag, headers), { part });
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(result).toEqual({ eTag: eTag.replace(/^W\/|"/g, ''), bytes: BODY.length, verified });
  });

  it.each([
    ["the file's MIME type if it is signed", 'content-type%3Bhost', { mimeType: VIDEO }, VIDEO],
    ['its default if the type is signed and the file has none', 'content-type%3Bhost', {}, BINARY],
    ['its default if the type is not signed', 'host', { mimeType: VIDEO }, BINARY],
    ['that of the options', 'content-type%3Bhost', { contentType: 'a/b', mimeType: VIDEO }, 'a/b'],
  ])('sends as its type %s (signed: %s)', async (_what, signed, types, expected) => {
    await put(storing(MD5), { part: types, query: `X-Amz-SignedHeaders=${signed}` });
    expect(server.requests[0]?.headers['content-type']).toBe(expected);
  });

  it.each([
    ['it is stored', storing(`"${MD5}"`), {}],
    ['storage refuses it', refusing(503, 'SlowDown'), {}],
    ['its source fails', storing(`"${MD5}"`), { reader: readerOf(BODY, { failAt: 1_000_000 }) }],
    ["its progress can't be reported", storing(`"${MD5}"`), { onBytes: throwing }],
  ])('closes its hash when %s', async (_how, listener, change) => {
    let open = 0;
    const hash: PartHashFactory = () => {
      open += 1;
      return { ...md5OfNode(), close: () => (open -= 1) };
    };
    const result = await put(listener, { ...change, hash }).catch((error: unknown) => error);
    expect(result instanceof Error || (result as PartRequestResult).verified).toBe(true);
    expect(open).toBe(0);
  });

  it('has its digest before storage answers', async () => {
    let digests = 0;
    const hash: PartHashFactory = () => {
      const own = md5OfNode();
      const digest = (): ReturnType<typeof own.digest> => {
        digests += 1;
        return own.digest();
      };
      return { ...own, digest };
    };
    const digestsAtAnswer: number[] = [];
    const result = await put(
      (request, response) => {
        void readBody(request).then(() => {
          digestsAtAnswer.push(digests);
          response.writeHead(200, { etag: `"${MD5}"` }).end();
        });
      },
      { hash },
    );
    expect(result.verified).toBe(true);
    expect([digestsAtAnswer, digests]).toEqual([[1], 1]);
  });

  it.each([
    ['and storage refuses it', refusing(503, 'SlowDown'), 'StorageBusy'],
    ['and storage takes it', storing(`"${MD5}"`), 'its digest failed'],
  ])('reports only what matters if its digest fails, %s', async (_how, listener, expected) => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    try {
      const hash: PartHashFactory = () => ({
        ...md5OfNode(),
        digest: () => Promise.reject(new Error('its digest failed')),
      });
      const error = await put(listener, { hash }).catch((reason: unknown) => reason);
      expect(error instanceof MediaServiceError ? error.code : String(error)).toContain(expected);
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });

  it.each([
    ['a foreign ETag', storing(`"${FOREIGN}"`), 'PartCorrupted'],
    ['a success without an ETag', storing(undefined), 'UnreadableAnswer'],
    ['storage that is busy', refusing(503, 'SlowDown', { 'retry-after': '3' }), 'StorageBusy'],
    ['a redirect', refusing(307, 'TemporaryRedirect', { location: 'http://127.0.0.1:1/' }), 'StorageRefused'],
  ])("reports %s with the right error, without the URL's query", async (_what, listener, code) => {
    const error = await failureOf(put(listener));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error.message, error.facts])).not.toContain('canary');
    expect(error.facts.retryAfterMs).toBe(code === 'StorageBusy' ? 3000 : undefined);
  });

  it.each([
    ['error of a source that fails in the middle of the part', readerOf(BODY, { failAt: 1_048_576 })],
    ['error SourceChanged if the source returns too few bytes', readerOf(BODY.subarray(0, 2_000_000))],
    ['error SourceChanged if the source returns too many bytes', greedy(readerOf(BODY))],
  ])('rejects with the %s', async (_what, reader) => {
    const error = await failureOf(put(storing(MD5), { reader, part: { bytes: 2_500_000 } }));
    expect(error.code).toBe('SourceChanged');
    expect(reader.closed()).toBe(true);
  });

  it.each([
    ['is not taken if its source has changed', 'SourceChanged'],
    ['is taken if its source is as it was', undefined],
  ] as const)('looks at its source once more when storage has answered, and %s', async (_what, code) => {
    const order: (string | number)[] = [];
    const reader: SourceReader = {
      ...readerOf(BODY),
      async requireUnchanged(end) {
        order.push(end);
        if (code !== undefined) throw new MediaServiceError(code, 'it grew');
      },
    };
    const listener: RequestListener = (request, response) => {
      void readBody(request).then(() => {
        order.push('answered');
        response.writeHead(200, { etag: `"${MD5}"` }).end();
      });
    };
    const result = put(listener, { reader });
    if (code === undefined) expect(await result).toMatchObject({ verified: true });
    else expect((await failureOf(result)).code).toBe(code);
    expect(order).toEqual(['answered', BODY.length]);
  });

  it('accepts an empty chunk after the last byte', async () => {
    const reader: SourceReader = {
      async *read(offset, length) {
        yield* readerOf(BODY).read(offset, length);
        yield Buffer.alloc(0);
      },
    };
    expect(await put(storing(`"${MD5}"`), { reader })).toMatchObject({ verified: true });
  });

  it.each([
    ['it sends no byte', 3_000, 'PartStalled'],
    ['its signal says so halfway', 600_000, 'enough'],
  ])('is aborted if %s, and closes source and connection', async (_why, stallMs, ended) => {
    const large = Buffer.alloc(64 * 1024 * 1024);
    const reader = readerOf(large);
    const ending = new AbortController();
    const abort = (): void => (ended === 'enough' ? ending.abort(new Error(ended)) : undefined);
    const part = { bytes: large.length, stallMs };
    const error = await put(abort, { reader, part, signal: ending.signal }).catch(
      (reason: unknown) => reason,
    );
    expect(error instanceof MediaServiceError ? error.code : error).toEqual(
      ended === 'enough' ? new Error(ended) : ended,
    );
    expect(reader.closed()).toBe(true);
    // Only a closed connection ends the body that the server has not read yet.
    await expect(readBody(server.requests[0] as IncomingMessage)).rejects.toThrow('aborted');
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
  const sending = put(storing(MD5), { byteLimiter: { ...limiter, take }, signal: aborting.signal });
  await expect(sending).rejects.toThrow('enough');
});
