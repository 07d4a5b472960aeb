import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestGateway } from '../support/gateway-fixture';
import type { GatewayAnswer, TestGateway } from '../support/gateway-fixture';
import { listen } from '../support/listen';
import { until } from '../support/until';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(on.fixture);
});
afterAll(() => gateway.stop());

describe('an upload over HTTP', () => {
  it('is started with a token, and shown with its result when a request that waits is answered', async () => {
    const { fixture } = on;
    const { path, sha256 } = await fixture.writeFile('harbour.mp4', 2);
    const media = { title: 'Harbour at dawn', tags: { project: 'apollo' } };
    const started = await gateway.ask('/v1/uploads', { body: { source: path, media } });
    expect(started).toMatchObject({ status: 201, json: { joined: false, warnings: [] } });
    const id = String(started.json['id']);
    const ended = await gateway.ask(`/v1/uploads/${encodeURIComponent(id)}?wait=60`);
    expect(ended).toMatchObject({
      status: 200,
      json: {
        id,
        status: 'COMPLETED',
        name: 'harbour.mp4',
        mediaId: expect.any(String),
        result: { status: 'COMPLETED', bytes: 2 * 5_242_880 },
      },
    });
    const session = fixture.session(String(ended.json['uploadId']));
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(sha256);
    const again = await gateway.ask('/v1/uploads', { body: { source: path, media } });
    expect(again).toMatchObject({ status: 200, json: { id, joined: true, warnings: [] } });
  });

  it('of a URL is refused if the starter says that the file under the key has another content', async () => {
    // Never answers, so that the first upload still runs when the others are compared with it.
    const server = await listen(createServer(() => undefined));
    const body = {
      source: `${server.url}/known.mp4`,
      ingestKey: 'known',
      fileName: 'k.mp4',
      bytes: 524_288,
    };
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
    const waiting = await until(
      'it says what it waits for',
      () => gateway.ask('/v1/uploads/resting'),
      ({ json }) => json['waitReason'] !== undefined,
    );
    expect(waiting.json['waitReason']).toMatchObject({
      code: 'SourceUnavailable',
      message: expect.stringContaining('must rest for 3600 s first'),
    });
    await gateway.ask('/v1/uploads/resting/cancel', { method: 'POST' });
    expect(await gateway.ask('/v1/uploads/resting?wait=60')).toMatchObject({ json: { status: 'CANCELLED' } });
  });
});
