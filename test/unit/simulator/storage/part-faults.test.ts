import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { eTagOf, put, record, textAt, withSimulator } from '../bare-client';

const BYTES = randomBytes(5 * 1024 * 1024);
const MD5 = createHash('md5').update(BYTES).digest('hex');
const failed = (error: unknown): unknown => error;

test.each([
  ['put-503:seconds=4', 503, 'SlowDown', '4'],
  ['put-429', 429, 'TooManyRequests', '1'],
  ['put-500', 500, 'InternalError', null],
  ['put-403-expired', 403, 'AccessDenied', null],
  ['put-403-denied', 403, 'AccessDenied', null],
  ['put-403-signature', 403, 'SignatureDoesNotMatch', null],
  ['put-400-ExpiredToken', 400, 'ExpiredToken', null],
  ['put-404-NoSuchUpload', 404, 'NoSuchUpload', null],
])('%s answers %d %s and stores nothing', (fault, status, code, retryAfter) =>
  withSimulator({ faults: [fault] }, async (simulator, client) => {
    const { urls } = await client.started();
    const reply = await put(urls[0], BYTES.subarray(0, 1000));
    expect(reply.status).toBe(status);
    expect(reply.text).toContain(`<Code>${code}</Code>`);
    expect(reply.headers.get('retry-after')).toBe(retryAfter);
    expect(simulator.seen().sessions[0]).toMatchObject({ status: 'INITIALIZED', parts: [] });
    expect((await put(urls[0], BYTES.subarray(0, 1000))).status).toBe(200);
  }),
);

test('put-reset breaks off after the given bytes and stores nothing', () =>
  withSimulator({ faults: ['put-reset:bytes=1000000'] }, async (simulator, client) => {
    const { urls } = await client.started();
    expect(await put(urls[0], BYTES).catch(failed)).toMatchObject({ message: 'fetch failed' });
    const { bytes = 0 } = await simulator.waitFor(({ event }) => event === 'part-broken');
    expect(bytes).toBeGreaterThanOrEqual(1_000_000);
    expect(bytes).toBeLessThan(BYTES.length);
    expect(simulator.seen()).toMatchObject({ sessions: [{ parts: [] }] });
  }));

test('put-lost stores the part and destroys the connection; a repetition counts as stored twice', () =>
  withSimulator({ faults: ['put-lost'] }, async (simulator, client) => {
    const { urls } = await client.started();
    expect(await put(urls[0], BYTES).catch(failed)).toMatchObject({ message: 'fetch failed' });
    expect(simulator.seen().sessions[0]?.parts).toEqual([
      { partNumber: 1, eTag: MD5, bytes: BYTES.length, puts: 1 },
    ]);
    await put(urls[0], BYTES);
    expect(simulator.seen().sessions[0]?.parts).toEqual([
      { partNumber: 1, eTag: MD5, bytes: BYTES.length, puts: 2 },
    ]);
  }));

test.each([
  ['put-wrong-etag', /^[0-9a-f]{32}$/, null],
  ['put-kms-etag', /^[0-9a-f]{16}-[0-9a-f]{16}$/, 'aws:kms'],
])('%s returns an ETag that is not the MD5, and complete accepts it', (fault, form, encryption) =>
  withSimulator({ faults: [`${fault}:2`] }, async (simulator, client) => {
    const { uploadId, urls } = await client.started();
    const first = await put(urls[0], BYTES);
    const again = await put(urls[0], BYTES);
    expect(eTagOf(first)).toMatch(form);
    expect(eTagOf(first)).not.toBe(MD5);
    expect(eTagOf(again)).toBe(eTagOf(first));
    expect(first.headers.get('x-amz-server-side-encryption')).toBe(encryption);
    expect((await client.complete(uploadId, [MD5])).status).toBe(400);
    expect((await client.complete(uploadId, [eTagOf(first)])).status).toBe(202);
    expect(await simulator.waitFor(({ event }) => event === 'session-ended')).toMatchObject({
      reason: 'COMPLETED',
    });
  }),
);

test('hold does not stop a part that began before the faults were cleared', () =>
  withSimulator({ faults: ['hold:always:bytes=4000000'] }, async (simulator, client) => {
    const { urls } = await client.started();
    const headers = { 'content-length': BYTES.length, 'content-type': 'application/octet-stream' };
    const sending = request(urls[0] ?? '', { method: 'PUT', headers });
    sending.write(BYTES.subarray(0, 1_000_000));
    await simulator.waitFor(({ event }) => event === 'part-begun');
    simulator.clearFaults();
    sending.end(BYTES.subarray(1_000_000));
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(200);
  }));

test('hold stops a part in the middle until it is released', () =>
  withSimulator({ faults: ['hold:part=1,bytes=2000000'] }, async (simulator, client) => {
    const { urls } = await client.started();
    const sent = put(urls[0], BYTES);
    const held = await simulator.waitFor(({ event }) => event === 'held');
    expect(held).toMatchObject({ part: 1, fault: 'hold', bytes: expect.any(Number) });
    expect(simulator.seen().sessions[0]?.parts).toEqual([]);
    expect(simulator.release()).toBe(1);
    expect((await sent).status).toBe(200);
  }));

test('put-stall leaves no part for a client that gives up', () =>
  withSimulator({ faults: ['put-stall'] }, async (simulator, client) => {
    const { urls } = await client.started();
    const leaving = new AbortController();
    const sent = fetch(urls[0] ?? '', {
      method: 'PUT',
      body: BYTES,
      headers: { 'content-type': 'video/mp4' },
      signal: leaving.signal,
    }).catch(failed);
    await simulator.waitFor(({ event }) => event === 'held');
    leaving.abort();
    expect(await sent).toMatchObject({ name: 'AbortError' });
    simulator.release();
    await simulator.waitFor(({ event }) => event === 'part-broken');
    expect(simulator.seen().sessions[0]?.parts).toEqual([]);
  }));

test('put-trickle accepts the rest of the part at the given rate', () =>
  withSimulator({ faults: ['put-trickle:bytes=1000,rate=100000000'] }, async (_, client) => {
    const { urls } = await client.started();
    expect(eTagOf(await put(urls[0], BYTES))).toBe(MD5);
  }));

test('expireUrls ends the URLs issued so far, but not later ones', () =>
  withSimulator({}, async (simulator, client) => {
    const { uploadId, urls } = await client.started();
    simulator.expireUrls();
    const late = await put(urls[0], BYTES);
    expect(late.status).toBe(403);
    expect(late.text).toContain('Request has expired');
    const fresh = record(await client.call('GET', `${simulator.uploadUrl}/upload/${uploadId}/url/1`));
    expect((await put(textAt(fresh, 'presignedUrl'), BYTES)).status).toBe(200);
  }));

test('a bearer token that reaches storage is recorded as a violation, and not kept', () =>
  withSimulator({}, async (simulator, client) => {
    const { urls } = await client.started();
    const reply = await put(urls[0], BYTES, { authorization: 'Bearer canary-token' });
    expect(reply.status).toBe(400);
    expect(simulator.seen().bearerToStorage).toEqual([{ method: 'PUT', part: 1, at: expect.any(Number) }]);
    expect(JSON.stringify([simulator.seen(), simulator.events()])).not.toContain('canary');
  }));

test('urls-sign-content-type accepts only the MIME type of the file', () =>
  withSimulator({ shapes: ['urls-sign-content-type'] }, async (_, client) => {
    const { urls } = await client.started();
    expect((await put(urls[0], BYTES, { 'content-type': 'application/octet-stream' })).status).toBe(403);
    expect((await put(urls[0], BYTES, { 'content-type': 'video/mp4' })).status).toBe(200);
  }));
