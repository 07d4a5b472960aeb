import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { startTestGateway } from '../support/gateway-fixture';
import type { GatewayAnswer, TestGateway } from '../support/gateway-fixture';
import { secretsIn } from '../support/canary';
import { storedTree } from '../support/stored-texts';
import { until } from '../support/until';
import { HELD, useUploadFixture } from '../support/upload-fixture';
import { startWebhookReceiver } from '../support/webhook-receiver';
import type { WebhookReceiver } from '../support/webhook-receiver';

const on = useUploadFixture();
const postTo = ['127.0.0.1'];
const ALLOWED = 'http://127.0.0.1/';
let gateway: TestGateway;
let hook: WebhookReceiver;

beforeAll(async () => {
  gateway = await startTestGateway(on.fixture, { postTo });
  hook = await startWebhookReceiver(createHash('sha256').update(gateway.token).digest());
});
afterAll(async () => {
  await gateway.stop();
  await hook.close();
});

const posted = (count: number): Promise<unknown> =>
  until(
    'the posts came',
    () => Promise.resolve(hook.posts.length),
    (length) => length >= count,
  );

describe('a wait over HTTP', () => {
  it('posts the ends in order, once the receiver takes them, signed with the hash of the token', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('wait.mp4', 0.1);
    const none = join(fixture.folder, 'none.mp4');
    const rows = [path, none].map((source, id) => ({ id: String(id), source }));
    await gateway.ask('/v1/batches', { body: { rows, batchId: 'both' } });
    await gateway.ask('/v1/uploads', { body: { source: path, ingestKey: 'single' } });
    // What runs is looked at less and less often.
    for (const id of ['batches/both', 'uploads/single']) await gateway.ask(`/v1/${id}?wait=60`);
    hook.answers = [{ status: 409 }];
    const batch = `batch/${fixture.accountId}/both`;
    const body = { ids: [batch, 'single'], url: hook.url, waitId: 'execution-7/node' };
    expect(await gateway.ask('/v1/waits', { body })).toMatchObject({
      status: 201,
      json: { waitId: body.waitId, joined: false },
    });
    expect(await gateway.ask('/v1/waits', { body })).toMatchObject({ status: 200, json: { joined: true } });
    await posted(2);
    expect(hook.posts.map(({ verified, headers }) => [verified, headers['webhook-id']])).toEqual([
      [true, body.waitId],
      [true, body.waitId],
    ]);
    expect(JSON.parse(hook.posts[1]?.body ?? '')).toMatchObject({
      waitId: body.waitId,
      ends: [
        { id: batch, status: 'COMPLETED', counts: { completed: 1, failed: 1 } },
        { id: `upload/${fixture.accountId}/single`, status: 'COMPLETED', mediaId: expect.any(String) },
      ],
    });
    const isOver = ({ json }: GatewayAnswer): boolean => json['status'] !== 'WAITING';
    const delivered = await gateway.askUntil(`/v1/waits/${encodeURIComponent(body.waitId)}`, isOver);
    expect(delivered.json).toEqual({ waitId: body.waitId, status: 'DELIVERED' });
    expect(await gateway.ask('/v1/waits', { body: { ...body, ids: ['single'] } })).toMatchObject({
      status: 409,
      json: { error: { code: 'InputDiffers' } },
    });
    const [stored] = await storedTree(fixture.connection, `wait/${fixture.accountId}/${body.waitId}`);
    const texts = `${stored?.history ?? ''}${stored?.described ?? ''}`;
    expect(texts).toContain(batch);
    expect(secretsIn(texts, ['never-shown', '/hooks/', gateway.token])).toEqual([]);
  });

  it('of a start survives a gateway that is gone while the upload ends', async () => {
    const { fixture } = on;
    const before = hook.posts.length;
    fixture.simulator.fault('hold:part=2');
    const { path } = await fixture.writeFile('long.mp4', 3);
    const options = { stallMs: HELD.stallMs, partBytes: 5_242_880 };
    const started = await gateway.ask('/v1/uploads', {
      body: { source: path, ingestKey: 'long', options, url: hook.url },
    });
    expect(started).toMatchObject({ status: 201 });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    await gateway.stop();
    fixture.simulator.release();
    await until(
      'the upload has ended',
      () => fixture.connection.client.workflow.getHandle(String(started.json['id'])).describe(),
      ({ status }) => status.name === 'COMPLETED',
    );
    expect(hook.posts).toHaveLength(before);
    gateway = await startTestGateway(fixture, { postTo, tokensFile: gateway.tokensFile });
    await posted(before + 1);
    expect(hook.posts[before]).toMatchObject({ verified: true });
    expect(JSON.parse(hook.posts[before]?.body ?? '')).toMatchObject({
      ends: [{ id: started.json['id'], status: 'COMPLETED' }],
    });
  });

  it('of a start of a batch posts its counts', async () => {
    const before = hook.posts.length;
    const { path } = await on.fixture.writeFile('row.mp4', 0.1);
    const body = { rows: [{ id: '1', source: path }], batchId: 'called', url: hook.url };
    const { json } = await gateway.ask('/v1/batches', { body });
    await posted(before + 1);
    expect(JSON.parse(hook.posts[before]?.body ?? '')).toMatchObject({
      ends: [{ id: json['id'], status: 'COMPLETED', counts: { completed: 1 } }],
    });
  });

  it.each([
    [409, 201, undefined],
    [401, 409, /answers 401 to a post, not 409/],
    [204, 409, /answers 200 to a post, not 409/],
    [undefined, 409, /^127\.0\.0\.1:9 answers nothing to a post, not 409\.$/],
  ])('with a probe that is answered with %s is answered with %i', async (answer, status, message) => {
    const before = hook.posts.length;
    hook.answers = answer === undefined ? [] : [{ status: answer }];
    const url = answer === undefined ? 'http://127.0.0.1:9/' : hook.url;
    const body = { ids: ['single'], url, waitId: `probe-${answer}`, probe: true };
    const { status: got, json } = await gateway.ask('/v1/waits', { body });
    expect([got, hook.posts[before]?.body]).toEqual([status, answer && '{}']);
    if (message !== undefined)
      expect(json).toMatchObject({ error: { message: expect.stringMatching(message) } });
    else await posted(before + 2);
    expect((await gateway.ask(`/v1/waits/${body.waitId}`)).status).toBe(message === undefined ? 200 : 404);
  });

  it.each<[url: string, ids: string[], status: number, code: string]>([
    ['https://evil.example/hook', ['single'], 403, 'SourceNotAllowed'],
    ['http://127.0.0.1.evil.example/', ['single'], 403, 'SourceNotAllowed'],
    ['http://127.0.0.1@evil.example/', ['single'], 403, 'SourceNotAllowed'],
    ['ftp://127.0.0.1/', ['single'], 400, 'Validation'],
    [ALLOWED, [], 400, 'Validation'],
    [ALLOWED, ['unknown'], 404, 'RequestRefused'],
    [ALLOWED, ['upload/other-1a2b3c4d/1'], 404, 'RequestRefused'],
  ])('to %s for the ids %j is refused', async (url, ids, status, code) => {
    expect(await gateway.ask('/v1/waits', { body: { url, ids } })).toMatchObject({
      status,
      json: { error: { code } },
    });
  });

  it('is refused at a gateway that may post to no host, before anything is started', async () => {
    const closed = await startTestGateway(on.fixture);
    const body = { source: '/none.mp4', ingestKey: 'never', url: hook.url };
    expect(await closed.ask('/v1/uploads', { body })).toMatchObject({
      status: 403,
      json: { error: { field: 'url' } },
    });
    expect(await closed.ask('/v1/uploads/never')).toMatchObject({ status: 404 });
    await closed.stop();
  });
});

it('a gateway ends with the error of a worker for posts that died', async () => {
  const dies = async function (this: Worker): Promise<void> {
    await this.runUntil(Promise.resolve());
    throw new Error('The connection was lost.');
  };
  const run = jest.spyOn(Worker.prototype, 'run').mockImplementationOnce(dies);
  const dying = await startTestGateway(on.fixture, { postTo });
  await until(
    'it answers no more',
    () => dying.ask('/healthz').catch(() => undefined),
    (answer) => answer === undefined,
  );
  await expect(dying.stop()).rejects.toThrow('The connection was lost.');
  run.mockRestore();
});
