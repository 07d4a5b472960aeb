import { ConfigurationError, MediaServiceError, TransportError } from '../../../../../api/errors';
import { isRetryable } from '../../../../../api/retry';
import type { RequestStream, Transport } from '../../../../../api/transport/transport';
import type { PermitOutcome } from '../../../../../api/upload/part/admission';
import { sendPart } from '../../../../../api/upload/part/send-part';
import type { PartToSend, SendPartDeps } from '../../../../../api/upload/part/send-part';
import type { PartUrl } from '../../../../../api/upload/types';
import { failureOf } from '../failure-of';
import { aborted, fakeStorage, md5Of, movingClock, STUCK } from './fake-storage';
import type { Answer } from './fake-storage';

const BODY = Buffer.alloc(1000, 'x');
const NOW = 1_000_000_000_000;

const GOOD: Answer = { status: 200 };
const EXPIRED: Answer = { status: 403, code: 'AccessDenied', message: 'Request has expired' };
const WRONG: Answer = { status: 200, eTag: '0'.repeat(32) };
const BUSY: Answer = { status: 503, code: 'SlowDown', message: 'x' };
const GONE: Answer = { status: 404, code: 'NoSuchUpload', message: 'x' };
const DENIED: Answer = { status: 403, code: 'AccessDenied', message: 'Access Denied' };
const OTHER_HEADERS: Answer = { status: 403, code: 'SignatureDoesNotMatch', message: 'x' };
const OTHER_BODY: Answer = { status: 400, code: 'BadDigest', message: 'x' };

const plain = (name: string): PartUrl<string> => ({ partNumber: 7, url: `https://s3.example.com/${name}` });
const url = plain('first');
const ENDED = plain(`first?Expires=${NOW / 1000 - 1}`);
const EARLY = plain('first?X-Amz-Date=20300101T000000Z&X-Amz-Expires=900');
const FIXED = plain('first?x-amz-checksum-crc32=AAAA');
const ACL = plain('first?X-Amz-SignedHeaders=host%3Bx-amz-acl');

interface Sending {
  readonly answers?: readonly Answer[];
  readonly url?: PartUrl<string>;
  readonly unopened?: MediaServiceError;
  /** Unset: additional URLs can't be requested. */
  readonly fresh?: readonly PartUrl<string>[];
  readonly body?: Buffer;
  readonly isAlone?: boolean;
  readonly signal?: AbortSignal;
  readonly deps?: Partial<SendPartDeps>;
}

function send({
  answers = [GOOD],
  fresh = [],
  body = BODY,
  isAlone = false,
  signal,
  deps,
  ...input
}: Sending) {
  const { transport, puts } = fakeStorage(answers);
  const left = [...fresh];
  const kept: string[] = [];
  const admitted: string[] = [];
  const ends: PermitOutcome[] = [];
  const seen: (number | string)[] = [];
  const part: PartToSend = {
    uploadId: 'u-1',
    partNumber: 7,
    offset: 0,
    bytes: body.length,
    verifyMd5: true,
    stallMs: 1000,
    source: { source: { kind: 'path', path: '/a' }, bytes: BODY.length, fingerprint: '', fileName: 'a' },
    ...input,
  };
  const all: SendPartDeps = {
    transport,
    reader: {
      async *read() {
        yield body;
      },
    },
    clock: { now: () => NOW, sleep: (_ms, of) => aborted(of) },
    admission: {
      async enter({ url: address }) {
        admitted.push(address);
        return { leave: (end) => ends.push(end), isAlone: () => isAlone };
      },
    },
    async requestUrl() {
      seen.push('asked');
      const next = left.shift();
      if (next === undefined) throw new ConfigurationError('additionalUrls', 'not set');
      return next;
    },
    ...deps,
  };
  const result = sendPart(all, part, {
    signal: signal ?? new AbortController().signal,
    onBegin: () => seen.push('begun'),
    onBytes: (bytes) => seen.push(bytes),
    onFreshUrl: (one) => kept.push(one.url),
  });
  return { result, puts, kept, admitted, ends, seen };
}

const names = (urls: readonly string[]): string[] =>
  urls.map((one) => one.replace('https://s3.example.com/', ''));
const KEY_CHANGED = new MediaServiceError('Configuration', 'made with key 1a2b, this process holds 5e6f');

describe('sending a part', () => {
  const fresh = [plain('fresh')];
  it.each<[string, Sending, string[]]>([
    ['is sent to its URL', { url }, ['first']],
    ['requests a URL if it has none', { fresh }, ['fresh']],
    ["requests a URL if its own can't be opened", { unopened: KEY_CHANGED, fresh }, ['fresh']],
    ['requests a URL first if its own has expired', { url: ENDED, fresh }, ['fresh']],
    ['requests a URL after its own', { url, answers: [EXPIRED, GOOD], fresh }, ['first', 'fresh']],
    ['requests a URL after a 403', { url, answers: [DENIED, GOOD], fresh }, ['first', 'fresh']],
    ['is sent again after a 403 if no URL is fresh', { url, answers: [DENIED, GOOD] }, ['first', 'first']],
    ['is sent again if storage hashed other bytes', { url, answers: [WRONG, GOOD] }, ['first', 'first']],
  ])('%s', async (_what, sending, urls) => {
    const sent = send(sending);
    expect(await sent.result).toMatchObject({ eTag: md5Of(BODY), verified: true });
    expect(names(sent.puts.map((put) => put.url))).toEqual(urls);
    expect(names(sent.kept)).toEqual(urls.filter((one) => one === 'fresh'));
  });

  const UNOPENED = { unopened: KEY_CHANGED };
  const TWO_WRONG = [WRONG, { status: 200, eTag: '1'.repeat(32) }];
  const two = [plain('a'), plain('b')];
  it.each<[code: string, why: string, sending: Sending, puts: number, hint?: string]>([
    ['UrlExpired', 'its URL expired before and none is fresh', { url: ENDED }, 0, '{additionalUrls}'],
    ['UrlExpired', 'its URL has expired and none is fresh', { url, answers: [EXPIRED] }, 1],
    ['UrlExpired', 'the fresh URL has expired too', { url, answers: [EXPIRED], fresh: two }, 2],
    ['UrlExpired', "its URL can't be opened and none is fresh", UNOPENED, 0, '{previousSecretKeys}'],
    ['StorageRefused', 'the fresh URL is refused too', { url, answers: [DENIED], fresh: two }, 2],
    ['StorageRefused', 'the same URL is refused twice', { url, answers: [DENIED] }, 2],
    ['StorageRefused', 'its URL begins later: it waits', { url: EARLY, answers: [DENIED], fresh: two }, 1],
    ['StorageRefused', 'both URLs fix a body', { url: FIXED, answers: [OTHER_BODY], fresh: [FIXED] }, 2],
    ['SignatureMismatch', 'its URL signs a header', { url: ACL, answers: [OTHER_HEADERS], fresh: two }, 1],
    ['Configuration', 'it has no URL and none can be requested', {}, 0],
    ['PartCorrupted', 'storage hashes otherwise each time: it waits', { url, answers: TWO_WRONG }, 2],
    ['PartCorrupted', 'storage has one foreign hash', { url, answers: [WRONG] }, 2, '{turnOffChecksums}'],
    ['StorageBusy', 'storage is busy: it waits', { url, answers: [BUSY] }, 1],
    ['SessionGone', 'storage no longer knows the session', { url, answers: [GONE] }, 1],
  ])('ends as %s if %s', async (code, why, sending, puts, hint = '') => {
    const sent = send(sending);
    const error = await failureOf(sent.result);
    expect([error.code, sent.puts.length]).toEqual([code, puts]);
    expect(error.facts.hint ?? '').toContain(hint);
    // Its caller tries it again later.
    expect(isRetryable(error)).toBe(why.endsWith('it waits'));
  });

  it('ends with the error of its request for a URL', async () => {
    const refused = new MediaServiceError('LoginRefused', 'login: refused');
    const deps = { requestUrl: () => Promise.reject(refused) };
    for (const sending of [{ unopened: KEY_CHANGED }, { url, answers: [EXPIRED] }])
      expect(await failureOf(send({ ...sending, deps }).result)).toBe(refused);
  });

  it.each([
    ['hides it behind its own error', false, true],
    ['answers all the same', false, false],
    ['stops at the last byte, before the source was compared for the last time', true, false],
  ])("ends with its source's error if the transport %s", async (_what, givesAll, fails) => {
    const changed = new MediaServiceError('SourceChanged', 'it changed');
    const reader: SendPartDeps['reader'] = {
      async *read() {
        if (givesAll) yield BODY;
        throw changed;
      },
    };
    const transport: Transport = {
      async send({ body }) {
        const first = (body as RequestStream).open()[Symbol.asyncIterator]().next();
        await Promise.allSettled([first]);
        if (fails) throw new TransportError('its body ended early', { outcome: 'ambiguous' });
        return { status: 200, headers: { etag: md5Of(BODY) }, body: (async function* () {})() };
      },
    };
    expect(await failureOf(send({ url, deps: { reader, transport } }).result)).toBe(changed);
  });

  it('ends with the reason of its signal, whatever its transport says', async () => {
    const ending = new AbortController();
    const transport: Transport = {
      async send() {
        ending.abort(new Error('enough'));
        throw new TransportError('closed', { outcome: 'ambiguous' });
      },
    };
    await expect(send({ url, signal: ending.signal, deps: { transport } }).result).rejects.toThrow('enough');
  });

  it('is admitted and begun once, and counts from 0 bytes again before it asks or is sent again', async () => {
    const sent = send({ url, answers: [WRONG, EXPIRED, GOOD], fresh });
    await sent.result;
    expect(names(sent.admitted)).toEqual(['first']);
    expect(sent.seen).toEqual(['begun', 1000, 0, 1000, 0, 'asked', 1000]);
  });

  it('has the content type of the options', async () => {
    const sent = send({ url, deps: { contentType: 'a/x-set' } });
    await sent.result;
    expect(sent.puts[0]?.headers['content-type']).toBe('a/x-set');
  });
});

describe('the admission of a part', () => {
  const reader: SendPartDeps['reader'] = {
    async *read(_offset, _length, signal) {
      yield BODY.subarray(0, 500);
      await aborted(signal).catch(() => {
        throw new Error('closed');
      });
    },
  };
  const late = new TransportError('s3.example.com: no answer in time', {
    outcome: 'ambiguous',
    details: { code: 'UND_ERR_HEADERS_TIMEOUT' },
  });

  it.each<[PermitOutcome, string, () => Sending]>([
    ['ok', 'storage takes it', () => ({})],
    ['busy', 'storage is busy', () => ({ answers: [{ status: 429 }] })],
    ['failed', 'storage refuses it', () => ({ answers: [GONE] })],
    ['failed', 'its source gives no byte', () => ({ deps: { reader, clock: movingClock() } })],
    ['slow', 'no byte leaves', () => ({ deps: { transport: STUCK, clock: movingClock() } })],
    [
      'slow',
      'storage has not answered in time',
      () => ({ deps: { transport: { send: () => Promise.reject(late) } } }),
    ],
  ])('ends with %s if %s', async (end, _what, sending) => {
    const sent = send({ url, ...sending() });
    await Promise.allSettled([sent.result]);
    expect(sent.ends).toEqual([end]);
  });

  it.each([
    [4_000, 'beside others', false, 1000],
    [4_000, 'alone', true, 1000],
    [10_000, 'alone, with 160 KiB', true, 160 * 1024],
    [900_000, 'alone, with 16 MiB', true, 16 * 1024 * 1024],
  ])('gives storage %i ms to answer a part that goes %s', async (headersMs, _what, isAlone, bytes) => {
    const sent = send({ url, isAlone, body: Buffer.alloc(bytes) });
    await sent.result;
    expect(sent.puts[0]?.timeouts).toEqual({ headersMs });
  });

  it.each([
    ['line', false, 'no byte left for 1000 ms'],
    ['line', true, 'no byte left for 4000 ms'],
    ['source', false, 'no byte left for 1000 ms, because the source gave none'],
  ])('waits for the %s, longer if it goes alone (%s), and says: %s', async (waitsFor, isAlone, says) => {
    const deps = { clock: movingClock(), ...(waitsFor === 'line' ? { transport: STUCK } : { reader }) };
    expect(await failureOf(send({ url, isAlone, deps }).result)).toMatchObject({
      ...{ code: 'PartStalled', message: `part 7: ${says}` },
      facts: { details: { partNumber: 7, waitsFor } },
    });
  });
});
