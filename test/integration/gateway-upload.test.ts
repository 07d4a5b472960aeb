import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestGateway } from '../support/gateway-fixture';
import type { TestGateway } from '../support/gateway-fixture';
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

  it('is refused without a token', async () => {
    expect(await gateway.ask('/v1/uploads', { body: { source: '/etc/passwd' }, token: null })).toMatchObject({
      status: 401,
      json: { error: { code: 'Unauthorized', message: 'There is no token.' } },
    });
  });
});
