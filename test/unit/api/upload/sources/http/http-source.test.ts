import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { isRetryable } from '../../../../../../api/retry';
import { createUndiciTransport } from '../../../../../../api/transport/undici-transport';
import type { PinnedSource } from '../../../../../../api/upload/sources/source';
import { openSource, pinSource } from '../../../../../../files/sources/read-source';
import type { SourceAccess } from '../../../../../../files/sources/source-access';
import { bytesOf } from '../../../../../support/bytes-of';
import { tempFolder } from '../../../../../support/after-test';
import { failureOf } from '../../failure-of';
import { serve } from '../../local-server';

const BODY = Buffer.alloc(300_000, 'http source ');
const NOON = 'Sat, 21 Nov 2026 12:00:00 GMT';

const transport = createUndiciTransport();
afterAll(() => transport.close());

/** Answers ranges of BODY with these headers. */
function ranges(headers: () => OutgoingHttpHeaders = () => ({ etag: '"v1"' })): RequestListener {
  return (request, response) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const range = { 'content-range': `bytes ${first}-${last}/${BODY.length}` };
    response.writeHead(206, { ...range, ...headers() }).end(BODY.subarray(Number(first), Number(last) + 1));
  };
}

const whole =
  (headers: OutgoingHttpHeaders = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(200, { 'content-length': BODY.length, ...headers }).end(BODY);
  };

const answering =
  (status: number, headers: OutgoingHttpHeaders = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end();

function accessTo(hosts: readonly string[], more: Partial<SourceAccess> = {}): SourceAccess {
  return { roots: [], sourceHosts: hosts, transport, unseal: String, ...more };
}

const sourceOf = (url: string, more = {}) => ({ kind: 'http', url, label: 'the label', ...more }) as const;

const read = (access: SourceAccess, pinned: PinnedSource, ...range: [number, number]): Promise<Buffer> =>
  bytesOf(openSource(access, pinned).read(...range));

/** Pins what this server gives. */
async function pinnedAt(listener: RequestListener, more?: Partial<SourceAccess>) {
  const server = await serve(listener);
  const access = accessTo([server.host], more);
  const pinned = await pinSource(access, sourceOf(`${server.origin}/My%20film.mp4?sig=canary`));
  return { server, access, pinned };
}

describe('an http source', () => {
  it.each([
    ['a strong ETag', { etag: '"v1"' }],
    ['Last-Modified alone', { 'last-modified': NOON }],
    ['a weak ETag and Last-Modified', { etag: 'W/"v1"', 'last-modified': NOON }],
  ])('is pinned by its first bytes and read in ranges if the server has %s', async (_what, headers) => {
    const listener = ranges(() => ({ 'content-type': 'video/mp4; x=y', ...headers }));
    const { server, access, pinned } = await pinnedAt(listener);
    expect(pinned).toMatchObject({ bytes: BODY.length, fileName: 'My film.mp4', mimeType: 'video/mp4' });
    expect(await read(access, pinned, 1000, 50_000)).toEqual(BODY.subarray(1000, 51_000));
    expect(server.requests.map(({ headers }) => [headers.range, headers['if-match']])).toEqual([
      ['bytes=0-511', undefined],
      // Some servers refuse their own ETag.
      ['bytes=1000-50999', undefined],
    ]);
  });

  it.each([
    ['ETag', { etag: '"v1"' }, { etag: '"v2"' }],
    ['Last-Modified', { 'last-modified': NOON }, { 'last-modified': NOON.replace('00 GMT', '01 GMT') }],
    ['size', { 'last-modified': 'x' }, { 'last-modified': 'x', 'content-range': 'bytes 0-9/11' }],
  ])('counts as changed by its %s', async (_what, before, after) => {
    let headers: OutgoingHttpHeaders = before;
    const { access, pinned } = await pinnedAt(ranges(() => headers));
    headers = after;
    expect((await failureOf(read(access, pinned, 0, 10))).code).toBe('SourceChanged');
  });

  it('that knows no Range is copied to the spool folder and read from there', async () => {
    const spool = { spoolDir: await tempFolder('spool'), host: 'worker-1' };
    const { access, pinned } = await pinnedAt(whole({ etag: '"v1"' }), spool);
    expect(pinned).toMatchObject({
      bytes: BODY.length,
      fileName: 'My film.mp4',
      // Parts go to the machine with the copy.
      source: { kind: 'path', deleteAfter: true, host: 'worker-1' },
    });
    expect(await read(access, pinned, 7, 100)).toEqual(BODY.subarray(7, 107));
  });

  it.each<[string, RequestListener]>([
    ['its server answers a range with the whole content (200)', whole({ etag: '"v1"' })],
    ['its server sends neither a strong ETag nor Last-Modified', ranges(() => ({ etag: 'W/"v1"' }))],
    ['its server reports no size', (_request, response) => void response.writeHead(200).end(BODY)],
  ])('that must be copied is an error without a spool folder, because %s', async (cause, listener) => {
    const error = await failureOf(pinnedAt(listener));
    expect(error.facts.hint).toContain('Set {spoolDir}');
    expect(error.message).toContain(`the label can't be read in parts: ${cause}. No spool folder`);
  });

  const LAST = BODY.length - 1;
  /** Status and last byte of the answer to a range. Without a status: everything, with 200. */
  type Answer = (first: number, last: number) => [status: number, last: number] | [];
  it.each<[string, Answer]>([
    ['answers a range of all with 200', (first, last) => (first === 0 && last === LAST ? [] : [206, last])],
    ['answers ranges from the beginning with all', (first, last) => (first === 0 ? [] : [206, last])],
    ['answers ranges with 200 and Content-Range', (_first, last) => [200, last]],
    ['sends everything after the first byte of a range', () => [206, LAST]],
  ])('is read in ranges if its server %s', async (_what, answer) => {
    const { access, pinned } = await pinnedAt((request, response) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      const first = Number(from);
      const [status, last = LAST] = answer(first, Math.min(Number(to), LAST));
      if (status === undefined) return whole({ etag: '"v1"' })(request, response);
      const range = { 'content-range': `bytes ${first}-${last}/${BODY.length}` };
      return response.writeHead(status, { etag: '"v1"', ...range }).end(BODY.subarray(first, last + 1));
    });
    expect(pinned).toMatchObject({ bytes: BODY.length, source: { kind: 'http' } });
    for (const [from, to] of [[0], [0, 1000], [1000, 3000], [LAST]] as const) {
      const expected = BODY.subarray(from, to);
      expect(await read(access, pinned, from, expected.length)).toEqual(expected);
    }
  });

  it('is changed, and never mixed, if its server answers a later range with the whole content', async () => {
    let answer: RequestListener = ranges();
    const { access, pinned } = await pinnedAt((request, response) => answer(request, response));
    answer = whole({ etag: '"v1"' });
    const { code, message } = await failureOf(read(access, pinned, 1000, 10));
    expect(code).toBe('SourceChanged');
    expect(message).toContain('its server answered a range with the whole content (200)');
    answer = ranges(() => ({ etag: '"v2"' }));
    expect((await failureOf(read(access, pinned, 1000, 10))).message).toContain(
      'it was bytes=300000, etag="v1", and is bytes=300000, etag="v2"',
    );
  });

  const raw = (text: string): string => Buffer.from(text).toString('latin1');
  it.each([
    ['raw UTF-8', raw('attachment; filename="Übung 世界.mp4"'), 'Übung 世界.mp4'],
    ['raw UTF-8 in filename*', raw("attachment; filename*=UTF-8''Übung 世界.mp4"), 'Übung 世界.mp4'],
    ['raw ISO-8859-1', 'attachment; filename="Übung.mp4"', 'Übung.mp4'],
    ['escaped quotes', 'attachment; filename="a \\"b; c\\".mp4"', 'a "b; c".mp4'],
    ['quoted filename*', `attachment; filename*="UTF-8''%C3%9Cbung%20%E4%B8%96.mp4"`, 'Übung 世.mp4'],
    ['filename* in ISO-8859-1', `attachment; filename=U; filename*=iso-8859-1'en'%DCbung`, 'Übung'],
    ['an unknown character set', `attachment; filename="U.mp4"; filename*=koi8-r''%DC.mp4`, 'U.mp4'],
    ['invalid UTF-8 in filename*', `attachment; filename="U.mp4"; filename*=UTF-8''%DC.mp4`, 'U.mp4'],
    ['no type of disposition', 'filename="film.mp4"', 'film.mp4'],
    ['a path', 'attachment; filename="../films/film.mp4"', 'film.mp4'],
    ['a path of Windows, and a line break', `attachment; filename*=UTF-8''C%3A%5Cfil%0Am.mp4`, 'film.mp4'],
    ['an empty name', 'attachment; filename=""', 'My film.mp4'],
  ])('is named as Content-Disposition says, with %s', async (_what, disposition, name) => {
    // Written as bytes, because Node refuses to send such a header.
    const head = `HTTP/1.1 206 OK\r\netag: "v1"\r\ncontent-range: bytes 0-4/5\r\ncontent-length: 5\r\nconnection: close`;
    const answer = Buffer.from(`${head}\r\ncontent-disposition: ${disposition}\r\n\r\nbytes`, 'latin1');
    const { pinned } = await pinnedAt((_request, response) => void response.socket?.end(answer));
    expect(pinned.fileName).toBe(name);
  });

  it('of few bytes is read although its server knows no Range', async () => {
    const { access, pinned } = await pinnedAt((_request, response) => {
      response.writeHead(200, { etag: '"v1"', 'content-length': 5 }).end('bytes');
    });
    expect(await read(access, pinned, 0, 5)).toEqual(Buffer.from('bytes'));
  });

  it.each([
    ...[403, 404, 410].map((status) => [status, 'SourceMissing'] as const),
    ...[429, 503].map((status) => [status, 'ServiceFailed'] as const),
  ])("that answers %d is %s, and the error hides the address's query", async (status, code) => {
    const error = await failureOf(pinnedAt(answering(status)));
    expect(error.code).toBe(code);
    expect(JSON.stringify([error.message, error.facts])).not.toContain('canary');
  });

  it('is retried if its host does not resolve, since that may be temporary', async () => {
    const url = 'http://source.invalid/film.mp4';
    const failure = await failureOf(pinSource(accessTo([]), sourceOf(url)));
    expect([failure.code, failure.outcome, isRetryable(failure)]).toEqual(['Transport', 'unsent', true]);
    expect(failure.message).toBe(`the host of the source ${url} does not exist (ENOTFOUND)`);
    expect(failure.facts.hint).toContain('Check the address of the source');
  });

  it.each<[string, RequestListener, string | undefined]>([
    ['has changed', ranges(() => ({ etag: '"v2"' })), 'SourceChanged'],
    ['is as it was', ranges(), undefined],
    ["can't be reached", (_request, response) => void response.destroy(), undefined],
  ])('is looked at again after its last byte, and if it %s, is %s', async (_what, then, code) => {
    let answer = ranges();
    const { server, access, pinned } = await pinnedAt((request, response) => answer(request, response));
    const reader = openSource(access, pinned);
    answer = then;
    await reader.requireUnchanged?.(BODY.length - 1);
    expect(server.requests).toHaveLength(1);
    const look = reader.requireUnchanged?.(BODY.length) ?? Promise.resolve();
    if (code === undefined) await look;
    else expect((await failureOf(look)).code).toBe(code);
    expect(server.requests).toHaveLength(2);
  });

  it('is pinned without bytes if it is empty', async () => {
    const { pinned } = await pinnedAt(answering(416, { 'content-range': 'bytes */0' }));
    expect(pinned.bytes).toBe(0);
  });

  it('follows up to five redirects', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) ranges()(request, response);
      else response.writeHead(307, { location: `/${left - 1}` }).end();
    });
    const access = accessTo([server.host]);
    expect((await pinSource(access, sourceOf(`${server.origin}/5`))).bytes).toBe(BODY.length);
    const { message } = await failureOf(pinSource(access, sourceOf(`${server.origin}/6`)));
    expect(message).toContain('more than 5');
  });

  it('does not follow a redirect to a host that is not allowed', async () => {
    const inner = await serve(ranges());
    const error = await failureOf(pinnedAt(answering(302, { location: inner.origin })));
    expect(error.code).toBe('SourceNotAllowed');
    expect(inner.requests).toEqual([]);
  });

  it.each([
    ['loopback that is not named', 'http://127.0.0.1:1/a', ['10.0.0.1']],
    ['loopback by name that is not named', 'http://localhost:1/a', []],
    ['a private address', 'http://192.168.1.1/a', []],
    ['another port than the one named', 'http://127.0.0.1:2/a', ['127.0.0.1:1']],
    ['cloud metadata, although it is named', 'http://169.254.169.254/latest', ['169.254.169.254']],
    ['cloud metadata as a number', 'http://2852039166/latest', ['169.254.169.254']],
    ['cloud metadata mapped into IPv6', 'http://[::ffff:169.254.169.254]/', ['[::ffff:a9fe:a9fe]']],
    ["the metadata service's name", 'http://metadata.google.internal/', ['metadata.google.internal']],
    ['a scheme other than http', 'file:///etc/passwd', []],
    ['a text that is not a URL', 'films/a.mp4', []],
  ])('is refused for %s, before anything is sent', async (_what, url, hosts) => {
    expect((await failureOf(pinSource(accessTo(hosts), sourceOf(url)))).code).toBe('SourceNotAllowed');
  });
});
