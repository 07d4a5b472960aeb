import type { Simulator } from '../../../../simulator/start-simulator';
import { type Reply, put, record, send, withSimulator } from '../bare-client';

const control = (simulator: Simulator, method: string, path: string, body?: string): Promise<Reply> =>
  send(`${simulator.baseUrl}/__simulator${path}`, { method, ...(body === undefined ? {} : { body }) });

test('GET /__simulator shows what happened, on both addresses, without a token, a secret or a signature', () =>
  withSimulator({}, async (simulator, client) => {
    const { urls } = await client.started();
    await put(urls[0], Buffer.from('abc'));
    const shown = await control(simulator, 'GET', '');
    expect(record(shown)).toEqual(simulator.seen());
    expect((await send(`${simulator.uploadUrl}/__simulator`)).text).toBe(shown.text);
    for (const text of [shown.text, JSON.stringify(simulator.events())]) {
      expect(text).not.toContain(await client.token());
      expect(text).not.toContain('X-Amz');
      expect(text).not.toContain(simulator.account.secretKey);
    }
    expect(simulator.seen().requests).toEqual({ login: 1, start: 1, put: 1 });
  }));

test('GET /wait answers a past event at once, a future one when it happens, and null if none came', () =>
  withSimulator({ faults: ['hold:bytes=0'] }, async (simulator, client) => {
    const { uploadId, urls } = await client.started();
    expect(record(await control(simulator, 'GET', '/wait?event=started'))).toMatchObject({
      event: 'started',
      uploadId,
    });
    const waiting = control(simulator, 'GET', '/wait?event=held');
    const sent = put(urls[0], Buffer.from('abc'));
    expect(record(await waiting)).toMatchObject({ event: 'held', part: 1 });
    expect(record(await control(simulator, 'POST', '/release'))).toEqual({ released: 1 });
    expect((await sent).status).toBe(200);
    expect((await control(simulator, 'GET', '/wait?event=login-refused&timeoutMs=1')).text).toBe('null');
  }));

test('GET /object returns size and hash of a completed object', () =>
  withSimulator({}, async (simulator, client) => {
    const { uploadId, urls } = await client.started();
    const eTag = (await put(urls[0], Buffer.from('abc'))).headers.get('etag') ?? '';
    await client.complete(uploadId, [eTag]);
    await simulator.waitFor(({ event }) => event === 'session-ended');
    const { keyName = '' } = simulator.seen().sessions[0] ?? {};
    expect(record(await control(simulator, 'GET', `/object?key=${encodeURIComponent(keyName)}`))).toEqual({
      bytes: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
    expect((await control(simulator, 'GET', '/object?key=none')).status).toBe(400);
  }));
