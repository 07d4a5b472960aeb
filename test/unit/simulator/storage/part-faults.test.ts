import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { put, withSimulator } from '../bare-client';

const BYTES = randomBytes(5 * 1024 * 1024);

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

test('a bearer token that reaches storage is recorded as a violation, and not kept', () =>
  withSimulator({}, async (simulator, client) => {
    const { urls } = await client.started();
    const reply = await put(urls[0], BYTES, { authorization: 'Bearer canary-token' });
    expect(reply.status).toBe(400);
    expect(simulator.seen().bearerToStorage).toEqual([{ method: 'PUT', part: 1, at: expect.any(Number) }]);
    expect(JSON.stringify([simulator.seen(), simulator.events()])).not.toContain('canary');
  }));
