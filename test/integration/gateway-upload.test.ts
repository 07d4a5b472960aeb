import { createServer } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Document, OpenAPIClient } from 'openapi-client-axios';
import { startTestGateway } from '../support/gateway-fixture';
import type { GatewayAnswer, TestGateway } from '../support/gateway-fixture';
import { listen } from '../support/listen';
import { until } from '../support/until';
import { HELD, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
let gateway: TestGateway;
let definition: Document & Record<string, unknown>;

beforeAll(async () => {
  gateway = await startTestGateway(on.fixture);
  definition = (await gateway.ask('/openapi.json', { token: null })).json as unknown as typeof definition;
});
afterAll(() => gateway.stop());

it('the OpenAPI document is OpenAPI 3.1 by the rules of a validator', async () => {
  const { valid, errors } = await new Validator().validate(definition);
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  expect(definition.openapi).toBe('3.1.0');
  const operations = Object.values(definition.paths ?? {}).flatMap((path) => Object.keys(path ?? {}));
  expect(operations.length).toBeGreaterThan(12);
});

const idOf = ({ json }: { readonly json: Record<string, unknown> }): string =>
  encodeURIComponent(String(json['id']));

describe('an upload over HTTP', () => {
  it('is started and awaited by a client that is made from the OpenAPI document', async () => {
    const { path, sha256 } = await on.fixture.writeFile('client.mp4', 1);
    const token = await gateway.makeToken('client', ['read', 'start']);
    const api = new OpenAPIClientAxios({
      definition: { ...definition },
      axiosConfigDefaults: { baseURL: gateway.url, headers: { authorization: `Bearer ${token}` } },
    });
    const client: OpenAPIClient = await api.init();
    const start = { source: path, media: { title: 'By a client' } };
    const started = await client['startUpload']?.(undefined, start);
    expect(started).toMatchObject({ status: 201, data: { joined: false, warnings: [] } });
    const { id } = started?.data as { readonly id: string };
    const ended = await client['getUpload']?.({ id, wait: 60 });
    const data = { id, status: 'COMPLETED', name: 'client.mp4', mediaId: expect.any(String) };
    expect(ended).toMatchObject({ status: 200, data });
    const session = on.fixture.session((ended?.data as { readonly uploadId: string }).uploadId);
    expect(await on.fixture.simulator.objectSha256(session.keyName)).toBe(sha256);
    expect(await client['startUpload']?.(undefined, start)).toMatchObject({
      status: 200,
      data: { id, joined: true },
    });
  });

  it('is paused, resumed, cancelled, retried, and listed by status and page', async () => {
    const { fixture } = on;
    fixture.simulator.fault('hold:part=2');
    const { path } = await fixture.writeFile('held.mp4', 3);
    const options = { stallMs: HELD.stallMs, partBytes: 5_242_880 };
    const started = await gateway.ask('/v1/uploads', { body: { source: path, ingestKey: 'held', options } });
    expect(started).toMatchObject({ status: 201, json: { joined: false } });
    const id = idOf(started);
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    expect(await gateway.ask('/v1/uploads/held/pause', { method: 'POST' })).toMatchObject({
      status: 202,
      json: { warnings: [] },
    });
    await gateway.askUntil('/v1/uploads/held', ({ text }) => text.includes('"paused":true'));
    expect(await gateway.ask(`/v1/uploads/${id}/resume`, { method: 'POST' })).toMatchObject({ status: 202 });
    expect(await gateway.ask(`/v1/uploads/${id}/cancel`, { method: 'POST' })).toMatchObject({ status: 202 });
    fixture.simulator.release();
    expect(await gateway.ask(`/v1/uploads/${id}?wait=60`)).toMatchObject({
      status: 200,
      json: { status: 'CANCELLED', error: { code: 'Cancelled' } },
    });
    expect(await gateway.ask(`/v1/uploads/${id}/pause`, { method: 'POST' })).toMatchObject({
      status: 409,
      json: {
        error: {
          code: 'RequestRefused',
          message: expect.stringContaining('has ended (CANCELLED)'),
          hint: expect.stringContaining(`GET /v1/uploads/${id}`),
        },
      },
    });
    expect(await gateway.ask(`/v1/uploads/${id}/retry`, { method: 'POST' })).toMatchObject({ status: 202 });
    expect(await gateway.ask(`/v1/uploads/${id}?wait=60`)).toMatchObject({ json: { status: 'COMPLETED' } });
    const second = await gateway.ask('/v1/uploads', { body: { source: path, ingestKey: 'second' } });
    await gateway.ask(`/v1/uploads/${idOf(second)}?wait=60`);
    const keys = await until(
      'both are listed, a page each',
      async () => {
        const first = await gateway.ask('/v1/uploads?limit=1&status=COMPLETED&from=-1h');
        const next = await gateway.ask(
          `/v1/uploads?limit=1&status=COMPLETED&from=-1h&page=${String(first.json['next'])}`,
        );
        return [first, next].flatMap(({ json }) => JSON.stringify(json).match(/"ingestKey":"\w+"/g) ?? []);
      },
      ({ length }) => length === 2,
    );
    expect(keys).toEqual(['"ingestKey":"second"', '"ingestKey":"held"']);
  });

  it('of a URL is refused if the starter says that the file under the key has another content', async () => {
    // Never answers, so that the first upload still runs when the others are compared with it.
    const server = await listen(createServer(() => undefined));
    const source = `${server.url}/known.mp4`;
    const body = { source, ingestKey: 'known', fileName: 'k.mp4', bytes: 524_288 };
    const start = (digit: string): Promise<GatewayAnswer> =>
      gateway.ask('/v1/uploads', { body: { ...body, sha256: digit.repeat(64) } });
    expect(await start('a')).toMatchObject({ status: 201 });
    expect(await start('a')).toMatchObject({ status: 200, json: { joined: true } });
    expect(await start('b')).toMatchObject({
      status: 409,
      json: {
        error: {
          code: 'InputDiffers',
          message: expect.stringContaining('SHA-256'),
          advice: expect.stringContaining('To upload the new content, {again}'),
        },
      },
    });
    expect(await start('x')).toMatchObject({ status: 400, json: { error: { field: 'sha256' } } });
    await gateway.ask('/v1/uploads/known/cancel', { method: 'POST' });
    await gateway.ask('/v1/uploads/known?wait=60');
    await server.close();
  });

  it('of a file that may still grow waits until nothing wrote to it for the minimum age', async () => {
    const { path } = await on.fixture.writeFile('resting.mp4', 0.1);
    const body = { source: path, ingestKey: 'resting', minAgeSeconds: 3_600 };
    expect(await gateway.ask('/v1/uploads', { body })).toMatchObject({ status: 201 });
    const says = ({ json }: GatewayAnswer): boolean => json['waitReason'] !== undefined;
    const waiting = await gateway.askUntil('/v1/uploads/resting', says);
    expect(waiting.json['waitReason']).toMatchObject({
      code: 'SourceUnavailable',
      message: expect.stringContaining('must rest for 3600 s first'),
    });
    await gateway.ask('/v1/uploads/resting/cancel', { method: 'POST' });
    expect(await gateway.ask('/v1/uploads/resting?wait=60')).toMatchObject({ json: { status: 'CANCELLED' } });
  });
});
