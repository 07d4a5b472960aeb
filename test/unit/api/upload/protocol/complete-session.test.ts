import { MediaServiceError } from '../../../../../api/errors';
import { isRetryable, withRetries } from '../../../../../api/retry';
import type { RetryingService } from '../../../../../api/service/service';
import { completeBody, completeSession } from '../../../../../api/upload/protocol/complete-session';
import type { UploadSession } from '../../../../../api/upload/protocol/session';
import { failureOf, thrownBy } from '../failure-of';
import { LOST, scriptedService, UNSENT } from '../scripted-service';
import type { Script } from '../scripted-service';

const PARTS = ['a', 'b'].map((eTag, index) => ({ partNumber: index + 1, eTag }));
const INPUT = { uploadId: 'u-1', parts: [{ partNumber: 2, eTag: '"b"' }, ...PARTS.slice(0, 1)] };
const READ = 'GET /upload/u-1';
const SEND = 'POST /upload/u-1/complete';

/** Answers reads and sends in order. The last answer of each repeats. */
function script(reads: readonly string[], sends: readonly ReturnType<Script>[]): Script {
  return (call, count) => {
    if (call === SEND) return sends[count] ?? sends.at(-1) ?? LOST;
    return { body: { uploadId: 'u-1', mediaId: 'm-1', status: reads[count] ?? reads.at(-1) } };
  };
}
const OK = { status: 202 };

/** As a driver: it retries, and says then that an earlier try may have sent it. */
function complete({ once: service }: RetryingService): Promise<UploadSession> {
  const { clock } = service;
  return withRetries({ clock, signal: undefined, retryForMs: 0 }, (tries) =>
    completeSession(service, { ...INPUT, mayHaveBeenSent: tries > 1 }),
  );
}

/** A proxy's answer instead of the service's. */
const HTML = { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' };

describe('the complete call', () => {
  it('is sent after a read, with parts in order and ETags without quotes', async () => {
    const { service, calls, bodies } = scriptedService(script(['PARTIAL'], [OK]));
    await completeSession(service, INPUT);
    expect(calls).toEqual([READ, SEND]);
    expect(bodies[1]).toEqual({ parts: PARTS });
  });

  it.each(['PENDING_COMPLETE', 'COMPLETED', 'FAILED', 'completed'])('is not sent if %s', async (status) => {
    const { service, calls } = scriptedService(script([status], [OK]));
    expect((await completeSession(service, INPUT)).status).toBe(status.toUpperCase());
    expect(calls).toEqual([READ]);
  });

  it.each([
    ['an empty body', ''],
    ['white space', ' \r\n'],
    ['a session that has ended', { uploadId: 'u-1', status: 'FAILED', fileUrl: 'https://f.example.com/a' }],
    ['JSON that is not an object', '"ok"'],
    ['JSON after a byte order mark', '\uFEFF{}'],
  ])('is accepted, and no more, if its 202 holds %s', async (_what, body) => {
    const { service, calls } = scriptedService(script(['PARTIAL'], [{ status: 202, body }]));
    const accepted = { uploadId: 'u-1', mediaId: 'm-1', status: 'PENDING_COMPLETE', parts: [] };
    expect(await completeSession(service, INPUT)).toEqual(accepted);
    expect(calls).toEqual([READ, SEND]);
  });

  it.each([
    ['a lost answer that arrived', 'PARTIAL PENDING_COMPLETE', [LOST], 'R S R'],
    ['a lost answer that shows only at the second read', 'PARTIAL PARTIAL COMPLETED', [LOST], 'R S R R'],
    ['a lost request', 'PARTIAL', [LOST, OK], 'R S R R S'],
    ['no connection', 'PARTIAL', [UNSENT, OK], 'R S R R S'],
    ['a 429', 'PARTIAL', [{ status: 429 }, OK], 'R S R R S'],
    ['nothing, in an unknown status', 'ASSEMBLING', [OK], 'R S'],
    ['a 500', 'INITIALIZED', [{ status: 500 }, OK], 'R S R R S'],
    ["a proxy's page", 'PARTIAL', [HTML, OK], 'R S R R S'],
    ["a proxy's page although it arrived", 'PARTIAL COMPLETED', [HTML], 'R S R'],
    ['a 2xx that is not JSON', 'PARTIAL', [{ status: 202, body: '{"status":' }, OK], 'R S R R S'],
    ['a 400 after an earlier request won', 'PARTIAL COMPLETED', [{ status: 400 }], 'R S R'],
    ['a 409 after an earlier request won', 'PARTIAL PENDING_COMPLETE', [{ status: 409 }], 'R S R'],
    [
      'a lost answer and then a 409, since the first request won late',
      'PARTIAL PARTIAL PARTIAL COMPLETED',
      [LOST, { status: 409 }],
      'R S R R S R',
    ],
    ['a 401', 'PARTIAL', [{ status: 401 }, OK], 'R S R S'],
    ['a second 401 although it arrived', 'PARTIAL PARTIAL COMPLETED', [{ status: 401 }], 'R S R S R'],
    ['a lost request and then a 401', 'PARTIAL', [LOST, { status: 401 }, OK], 'R S R R S R S'],
  ] as const)('is read before it is sent again after %s', async (_what, reads, sends, expected) => {
    const { service, calls, slept } = scriptedService(script(reads.split(' '), sends));
    await complete(service);
    expect(calls).toEqual(expected.split(' ').map((call) => (call === 'R' ? READ : SEND)));
    expect(slept.filter((ms) => ms === 5_000)).toHaveLength(expected.split('R R').length - 1);
  });

  it('is sent once: whoever drives it waits for what a 429 asks for', async () => {
    const busy = { status: 429, headers: { 'retry-after': '3600' } };
    const { service, calls, slept } = scriptedService(script(['PARTIAL'], [busy, OK]));
    const { code, facts } = await failureOf(completeSession(service.once, INPUT));
    expect([code, facts.retryAfterMs]).toEqual(['RateLimited', 300_000]);
    expect([calls, slept]).toEqual([[READ, SEND], []]);
  });

  it.each([
    ['RequestRefused', 'a 400 that stays', ['PARTIAL'], [{ status: 400 }], 1],
    ['Unauthorized', 'a second 401 in both tries', ['PARTIAL'], [{ status: 401 }], 4],
    ['Unauthorized', 'a second 401 after a lost answer', ['PARTIAL'], [LOST, { status: 401 }], 3],
    ['CompleteAmbiguous', 'a 401 and an unknown status', ['PARTIAL', 'ASSEMBLING'], [{ status: 401 }], 1],
    ['RequestRefused', 'a 404', ['PARTIAL'], [{ status: 404 }], 1],
    ['RequestRefused', 'a 409 that stays', ['PARTIAL'], [{ status: 409 }], 5],
    ['RequestRefused', "a gateway's 404 that stays", ['PARTIAL'], [{ ...HTML, status: 404 }], 5],
    ['RequestRefused', 'a redirect', ['PARTIAL', 'COMPLETED'], [{ status: 307 }], 1],
    ['CompleteAmbiguous', 'a lost answer and an unknown status', ['PARTIAL', 'ASSEMBLING'], [LOST], 1],
    ['UnreadableAnswer', "a proxy's page every time", ['PARTIAL'], [HTML], 5],
    ['Transport', 'an answer that is lost every time', ['PARTIAL'], [LOST], 5],
  ] as const)('ends as %s after %s', async (code, _what, reads, sends, count) => {
    const { service, calls } = scriptedService(script(reads, sends));
    const error = await failureOf(complete(service));
    expect([error.code, isRetryable(error)]).toEqual([code, count === 5 || code === 'CompleteAmbiguous']);
    expect(calls.filter((call) => call === SEND)).toHaveLength(count);
  });

  it('ends with the refusal of a login before it, which says nothing about the session', async () => {
    const { service, calls } = scriptedService(script(['PARTIAL'], [OK]));
    const refused = new MediaServiceError('LoginRefused', 'no', { operation: 'login', status: 403 });
    const once = { ...service.once };
    once.call = (call) => (call.method === 'GET' ? service.call(call) : Promise.reject(refused));
    expect(await failureOf(completeSession(once, INPUT))).toBe(refused);
    expect(calls).toEqual([READ]);
  });
});

it.each([
  ['unsent', 'before it is sent', [], false],
  ['ambiguous', 'after a lost answer', [LOST], false],
  ['ambiguous', 'if an earlier try may have sent it', [], true],
  ['ambiguous', 'after a refusal', [{ status: 409 }], false],
] as const)('a complete whose read fails is %s %s', async (outcome, _when, sends, mayHaveBeenSent) => {
  const { service } = scriptedService((call, count) => {
    if (call === SEND) return sends[count] ?? OK;
    return sends.length > 0 && count === 0 ? { status: 200, body: { status: 'PARTIAL' } } : UNSENT;
  });
  const error = await failureOf(completeSession(service, { ...INPUT, mayHaveBeenSent }));
  expect([error.code, error.outcome]).toEqual(['Transport', outcome]);
});

describe('the template of complete', () => {
  it.each([
    ['{"parts":{parts}}', { parts: PARTS }],
    ['{"id":"{uploadId}","payload":{"parts":{parts}}}', { id: 'u-1', payload: { parts: PARTS } }],
    [
      '{"parts":[{"PartNumber":{partNumber},"ETag":"{eTag}","of":{uploadId}}]}',
      { parts: PARTS.map(({ partNumber, eTag }) => ({ PartNumber: partNumber, ETag: eTag, of: 'u-1' })) },
    ],
  ])('%s makes the body', (template, expected) => {
    expect(JSON.parse(completeBody(template, INPUT))).toEqual(expected);
  });

  it.each([
    ['lacks the parts', '{"id":{uploadId}}'],
    ['is not JSON', '{"parts":{parts}'],
    ["has a part's field outside of a list", '{"n":{partNumber},"e":{eTag}}'],
  ])('that %s is a configuration error', (_what, template) => {
    expect(thrownBy(() => completeBody(template, INPUT)).facts.field).toBe('completeBody');
  });
});
