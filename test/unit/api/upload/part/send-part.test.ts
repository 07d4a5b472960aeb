import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, MediaServiceError, TransportError } from '../../../../../api/errors';
import type { HttpRequest, Transport } from '../../../../../api/transport/transport';
import { createAimdLimiter, createAimdLimiters } from '../../../../../api/upload/part/admission';
import type { AimdLimiter, PartAdmission } from '../../../../../api/upload/part/admission';
import { sendPart } from '../../../../../api/upload/part/send-part';
import type { PartToSend, SendPartDeps } from '../../../../../api/upload/part/send-part';
import type { PartUrl } from '../../../../../api/upload/types';
import type { SourceReader } from '../../../../../api/upload/sources/source';
import { failureOf } from '../failure-of';

const BODY = Buffer.alloc(1000, 'x');
const MD5 = createHash('md5').update(BODY).digest('hex');
const NOW = 1_000_000_000_000;

interface Answer {
  readonly status: number;
  /** Unset: the MD5 of what arrived. */
  readonly eTag?: string;
  readonly code?: string;
  readonly message?: string;
}
const GOOD: Answer = { status: 200 };
const EXPIRED: Answer = { status: 403, code: 'AccessDenied', message: 'Request has expired' };
const WRONG: Answer = { status: 200, eTag: '0'.repeat(32) };
const BUSY: Answer = { status: 503, code: 'SlowDown', message: 'x' };
const GONE: Answer = { status: 404, code: 'NoSuchUpload', message: 'x' };
const DENIED: Answer = { status: 403, code: 'AccessDenied', message: 'Access Denied' };

/** Storage that answers one PUT after another. `urls` are the URLs of those PUTs. */
function storage(...answers: Answer[]): { transport: Transport; urls: string[] } {
  const urls: string[] = [];
  const send = async (request: HttpRequest): ReturnType<Transport['send']> => {
    const answer = answers[Math.min(urls.length, answers.length - 1)] ?? GOOD;
    urls.push(request.url);
    const hash = createHash('md5');
    if (typeof request.body === 'object') for await (const chunk of request.body.open()) hash.update(chunk);
    const { eTag = hash.digest('hex') } = answer;
    const text = `<Error><Code>${answer.code}</Code><Message>${answer.message}</Message></Error>`;
    const body = (async function* () {
      if (answer.code !== undefined) yield Buffer.from(text);
    })();
    const headers = answer.status === 200 ? { etag: `"${eTag}"` } : {};
    return { status: answer.status, headers, body };
  };
  return { transport: { send }, urls };
}

const plain = (name: string): PartUrl<string> => ({ partNumber: 7, url: `https://s3.example.com/${name}` });
const first = plain('first');
const ENDED = plain(`first?Expires=${NOW / 1000 - 1}`);

/** Admits parts by this limiter alone. */
function by(limiter: AimdLimiter): PartAdmission {
  return {
    enter: async (_part, signal) => ({
      leave: await limiter.acquire(signal),
      isAlone: () => limiter.limit() === 1,
    }),
  };
}

interface Sending {
  readonly answers?: Answer[];
  readonly url?: PartUrl<string> | undefined;
  readonly unopened?: MediaServiceError;
  /** Unset: additional URLs can't be requested. */
  readonly fresh?: PartUrl<string>[];
  readonly body?: Buffer;
  readonly deps?: Partial<SendPartDeps>;
  readonly onBytes?: (bytesSoFar: number) => void;
}

function send({
  answers = [GOOD],
  url,
  unopened,
  fresh,
  body = BODY,
  deps = {},
  onBytes = () => undefined,
}: Sending): {
  result: ReturnType<typeof sendPart>;
  urls: string[];
  kept: string[];
} {
  const { transport, urls } = storage(...answers);
  const kept: string[] = [];
  const input: PartToSend = {
    uploadId: 'u-1',
    partNumber: 7,
    offset: 0,
    bytes: body.length,
    verifyMd5: true,
    stallMs: 1000,
    source: { source: { kind: 'path', path: '/a' }, bytes: BODY.length, fingerprint: '', fileName: 'a' },
    ...(url === undefined ? {} : { url }),
    ...(unopened === undefined ? {} : { unopened }),
  };
  const result = sendPart(
    {
      transport,
      reader: {
        read: async function* () {
          yield body;
        },
      },
      clock: {
        now: () => NOW,
        sleep: (_ms, signal) =>
          new Promise((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(new Error('over'))),
          ),
      },
      admission: createAimdLimiters(),
      requestUrl: async () => {
        const next = fresh?.shift();
        if (next === undefined) throw new ConfigurationError('additionalUrls', 'not set');
        return next;
      },
      ...deps,
    },
    input,
    {
      signal: new AbortController().signal,
      onBytes,
      onFreshUrl: (one) => kept.push(one.url),
    },
  );
  return { result, urls, kept };
}

const name = (urls: readonly string[]): string[] =>
  urls.map((url) => url.replace('https://s3.example.com/', ''));

describe('sending a part', () => {
  it.each([
    ['is sent to its URL', { url: first }, ['first'], []],
    ['requests a URL if it has none', { fresh: [plain('fresh')] }, ['fresh'], ['fresh']],
    [
      'requests a fresh URL first if its own has expired',
      { url: ENDED, fresh: [plain('fresh')] },
      ['fresh'],
      ['fresh'],
    ],
    [
      'requests a fresh URL if storage says that its own has expired',
      { url: first, answers: [EXPIRED, GOOD], fresh: [plain('fresh')] },
      ['first', 'fresh'],
      ['fresh'],
    ],
    [
      'requests one fresh URL after a 403 for another reason',
      { url: first, answers: [DENIED, GOOD], fresh: [plain('fresh')] },
      ['first', 'fresh'],
      ['fresh'],
    ],
    [
      'is sent again to the same URL after a 403 for another reason if no fresh URL is available',
      { url: first, answers: [DENIED, GOOD] },
      ['first', 'first'],
      [],
    ],
    [
      'is sent again if storage hashed other bytes',
      { url: first, answers: [WRONG, GOOD] },
      ['first', 'first'],
      [],
    ],
  ])('%s', async (_what, sending: Sending, urls, kept) => {
    const sent = send(sending);
    expect(await sent.result).toMatchObject({ eTag: MD5, verified: true });
    expect([name(sent.urls), name(sent.kept)]).toEqual([urls, kept]);
  });

  const twoFresh = [plain('a'), plain('b')];
  it.each([
    ['UrlExpired', 'its URL expired before and none is fresh', { url: ENDED }, 0],
    ['UrlExpired', 'its URL has expired and none is fresh', { url: first, answers: [EXPIRED] }, 1],
    ['UrlExpired', 'the fresh URL has expired too', { url: first, answers: [EXPIRED], fresh: twoFresh }, 2],
    ['StorageRefused', 'the fresh URL is refused too', { url: first, answers: [DENIED], fresh: twoFresh }, 2],
    ['StorageRefused', 'the same URL is refused twice', { url: first, answers: [DENIED] }, 2],
    ['Configuration', 'it has no URL and none can be requested', {}, 0],
    [
      'PartCorrupted',
      'storage returns a different wrong hash each time',
      { url: first, answers: [WRONG, { status: 200, eTag: '1'.repeat(32) }] },
      2,
    ],
    ['StorageBusy', 'storage is busy: its caller decides when to retry', { url: first, answers: [BUSY] }, 1],
    ['SessionGone', 'storage no longer knows the session', { url: first, answers: [GONE] }, 1],
  ])('ends as %s if %s', async (code, _what, sending: Sending, puts) => {
    const sent = send(sending);
    expect((await failureOf(sent.result)).code).toBe(code);
    expect(sent.urls).toHaveLength(puts);
  });

  it('fails for good, and names verifyMd5, if storage returns the same foreign ETag twice', async () => {
    const error = await failureOf(send({ url: first, answers: [WRONG] }).result);
    expect(error).toMatchObject({ code: 'PartCorrupted', facts: { details: { permanent: true } } });
    expect(error.facts.hint).toContain('{turnOffChecksums}');
  });

  it.each([
    ['requests a fresh URL', [EXPIRED, GOOD], true],
    ['is sent again', [WRONG, GOOD], false],
  ])('counts from 0 bytes again before it %s', async (_what, answers, asks) => {
    const seen: (number | string)[] = [];
    const requestUrl = async (): Promise<PartUrl<string>> => {
      seen.push('asked');
      return plain('fresh');
    };
    await send({ url: plain('f'), answers, deps: { requestUrl }, onBytes: (bytes) => seen.push(bytes) })
      .result;
    expect(seen).toEqual([BODY.length, 0, ...(asks ? ['asked'] : []), BODY.length]);
  });

  it('is admitted once, whatever it takes to send it', async () => {
    const limiter = createAimdLimiter({ max: () => 1 });
    const asked: string[] = [];
    const admission: PartAdmission = {
      enter: (part, signal) => {
        asked.push(part.url);
        return by(limiter).enter(part, signal);
      },
    };
    const url = plain('f');
    await send({ url, answers: [WRONG, EXPIRED, GOOD], fresh: [plain('fresh')], deps: { admission } }).result;
    expect(asked).toEqual([url.url]);
  });

  it('waits for its permit', async () => {
    const limiter = createAimdLimiter({ max: () => 1 });
    const held = await limiter.acquire();
    const waiting = send({ url: plain('f'), deps: { admission: by(limiter) } });
    held('ok');
    expect(await waiting.result).toMatchObject({ eTag: MD5 });
  });

  it('returns its permit, and the limiter shrinks when storage is busy', async () => {
    const limiter = createAimdLimiter({ max: () => 4 });
    const busy = { url: plain('f'), answers: [{ status: 429 }], deps: { admission: by(limiter) } };
    const others = await Promise.all([1, 2, 3].map(() => limiter.acquire()));
    await failureOf(send(busy).result);
    expect(limiter.limit()).toBe(2);
    others.forEach((permit) => permit('failed'));
    await Promise.all(
      [1, 2, 3].map(() => send({ url: plain('f'), deps: { admission: by(limiter) } }).result),
    );
    expect(limiter.limit()).toBe(3);
  });
});

describe('a part that stalls', () => {
  const stuck = (signal?: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const never: SourceReader = {
    read: (_offset, _length, signal) =>
      (async function* () {
        yield BODY.subarray(0, 500);
        await stuck(signal);
      })(),
  };
  const unread: Transport = { send: ({ signal }) => stuck(signal) };

  it.each([
    ['its source: the limit stays', { reader: never }, 'because the source gave none', 4],
    ['the line: the limit is halved', { transport: unread }, 'no byte left for 1000 ms', 2],
  ])('because of %s', async (_what, deps, says, limit) => {
    const limiter = createAimdLimiter({ max: () => 4 });
    await Promise.all([1, 2, 3].map(() => limiter.acquire()));
    let now = NOW;
    const clock = { now: () => now, sleep: (ms: number) => turn().then(() => void (now += ms)) };
    const error = await failureOf(
      send({ url: first, deps: { ...deps, admission: by(limiter), clock } }).result,
    );
    expect([error.code, error.message]).toEqual(['PartStalled', expect.stringContaining(says)]);
    expect(limiter.limit()).toBe(limit);
  });
});

describe('a line that takes a whole part at once and passes it on slowly', () => {
  const late = new TransportError('s3.example.com: no answer in time', {
    outcome: 'ambiguous',
    details: { code: 'UND_ERR_HEADERS_TIMEOUT' },
  });

  it('goes down to fewer parts at once when storage has not answered in time', async () => {
    const limiter = createAimdLimiter({ max: () => 4 });
    await Promise.all([1, 2, 3].map(() => limiter.acquire()));
    const transport: Transport = { send: () => Promise.reject(late) };
    const { result } = send({ url: first, deps: { transport, admission: by(limiter) } });
    expect(await failureOf(result)).toBe(late);
    expect(limiter.limit()).toBe(2);
  });

  it('gives a part that goes alone time for its bytes on the slowest line', async () => {
    const limits: (number | undefined)[] = [];
    const { transport } = storage(GOOD);
    const watched: Transport = {
      send(request) {
        limits.push(request.timeouts?.headersMs);
        return transport.send(request);
      },
    };
    const limiter = createAimdLimiter({ max: () => 2 });
    const deps = { transport: watched, admission: by(limiter) };
    await send({ url: first, deps }).result;
    (await limiter.acquire())('slow');
    const body = Buffer.alloc(160 * 1024);
    await send({ url: first, deps, body }).result;
    expect(limits).toEqual([4_000, 10_000]);
  });
});

describe("a part whose URL can't be opened after the secret was changed", () => {
  const unopened = new MediaServiceError(
    'Configuration',
    'made with key 1a2b3c4d, this process holds 5e6f7a8b',
  );

  it('is sent to a fresh URL', async () => {
    const { result, urls, kept } = send({ unopened, fresh: [plain('fresh')] });
    expect((await result).verified).toBe(true);
    expect([name(urls), name(kept)]).toEqual([['fresh'], ['fresh']]);
  });

  it('counts as expired if no fresh URL can be requested, so that a restart may follow', async () => {
    const { result, urls } = send({ unopened });
    const failure = await failureOf(result);
    expect(failure.code).toBe('UrlExpired');
    expect(failure.message).toContain('made with key 1a2b3c4d, this process holds 5e6f7a8b');
    expect(failure.facts.hint).toContain('{previousSecretKeys}');
    expect(urls).toEqual([]);
  });

  it('fails with the error of the request for a fresh URL', async () => {
    const refused = new MediaServiceError('LoginRefused', 'login: refused');
    const { result } = send({ unopened, deps: { requestUrl: () => Promise.reject(refused) } });
    expect(await failureOf(result)).toBe(refused);
  });
});
