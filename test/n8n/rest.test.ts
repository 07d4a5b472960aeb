import type { INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { n8nClock } from '../../n8n/n8n-clock';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { processingHeld } from '../support/held';
import { startPostReceiver } from '../support/post-receiver';
import type { PostReceiver } from '../support/post-receiver';
import { until } from '../support/until';
import { postTo, restEnds } from './support/resting-n8n';
import type { NodeRun } from './support/run-workflow';
import { useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();
/** Answers posts to resume URLs. */
let n8n: PostReceiver;
let executions = 0;
let executionId = '';
let waitId = '';
beforeAll(async () => {
  // The first post to a process is refused for half a minute: n8n may still be starting.
  const said: unknown[] = [];
  const response = {
    setHeader: (...header: unknown[]) => said.push(header),
    status: (code: number) => (said.push(code), { json: () => undefined }),
  };
  const context = { getResponseObject: () => response } as unknown as IWebhookFunctions;
  await new MediaService().webhook.call(context);
  expect(said).toEqual([['retry-after', '30'], 503]);
});
beforeEach(async () => {
  jest.spyOn(n8nClock, 'now').mockImplementation(() => Date.now() + 31_000);
  n8n = await startPostReceiver();
  // As n8n does while an execution runs.
  n8n.status = 409;
  executionId = String((executions += 1));
  waitId = `${executionId}-id-of-Media Service-0`;
});
afterEach(() => n8n.close());

const parameters = { path: '={{ $json.path }}', simplify: true };
/** Items of files, of which the last one does not exist. */
async function itemsOf(...names: readonly string[]): Promise<INodeExecutionData[]> {
  const written = await Promise.all(names.map((name) => on.writeFile(name, 1)));
  return [...written.map(({ path }) => path), `${on.folder}/none.mp4`].map((path) => ({ json: { path } }));
}
const run = (more: Partial<NodeRun>): ReturnType<typeof on.run> =>
  on.run(parameters, {
    executionId,
    onError: 'continueErrorOutput',
    webhookWaitingBaseUrl: `${n8n.url}/webhook-waiting`,
    ...more,
  });
const ends = (): Promise<unknown> =>
  until(
    'the ends are posted',
    () => Promise.resolve(n8n.posts),
    (posts) => posts.some(({ body }) => body['waitId'] === waitId && body['ends'] !== undefined),
  );

describe('an execution that waits for a worker', () => {
  test('rests, and a post of the door for it makes one item for each input item, in their order', async () => {
    const bothHeld = processingHeld(on.simulator, 2);
    const resting = await run({ items: await itemsOf('a.mp4', 'b.mp4') });
    expect(resting.run.status).toBe('waiting');
    expect(n8n.posts).toEqual([
      {
        path: expect.stringMatching(`^/webhook-waiting/${executionId}/media-service-ends\\?signature=\\w+$`),
        body: {},
      },
    ]);
    expect(await postTo(resting, { waitId })).toEqual({ status: 409, output: undefined });
    await bothHeld;
    on.simulator.release();
    await ends();
    expect(await postTo(resting, { waitId: 'of another node' })).toEqual({ status: 409, output: undefined });
    const { status, output } = await postTo(resting, { waitId });
    expect(status).toBe(200);
    expect(output).toEqual([
      [
        {
          json: expect.objectContaining({
            fileName: 'a.mp4',
            status: 'COMPLETED',
            mediaId: expect.any(String),
          }),
          pairedItem: { item: 0 },
        },
        {
          json: expect.objectContaining({ fileName: 'b.mp4', status: 'COMPLETED' }),
          pairedItem: { item: 1 },
        },
        {
          json: { error: expect.stringContaining('none.mp4'), details: expect.anything() },
          pairedItem: { item: 2 },
        },
      ],
    ]);
  });

  test.each<[string, Partial<NodeRun>]>([
    ['after a node with Execute Once', { afterOnce: true }],
    ['in a workflow with binary data in its JSON', { binaryMode: 'combined' }],
    ['in such a workflow after a node with Execute Once', { binaryMode: 'combined', afterOnce: true }],
  ])('rests and is resumed with an item for each input item %s', async (_where, more) => {
    const items = (await itemsOf('once.mp4', 'more.mp4')).slice(0, 2);
    const resting = await run({ items, ...more });
    expect(resting.run.status).toBe('waiting');
    await ends();
    const { status, output } = await postTo(resting, { waitId });
    expect([status, output?.[0]?.map(({ json }) => [json['fileName'], json['status']])]).toEqual([
      200,
      [
        ['once.mp4', 'COMPLETED'],
        ['more.mp4', 'COMPLETED'],
      ],
    ]);
  });

  test('gives ids and what to do when the time of its rest ends', async () => {
    on.simulator.fault('processing-stuck:1');
    const [item] = await restEnds(await run({ items: (await itemsOf('late.mp4')).slice(0, 1) }));
    expect(item).toMatchObject({
      json: {
        status: 'RUNNING',
        workflowId: expect.stringMatching(/^upload\//),
        note: expect.stringMatching(/Still running/),
      },
      pairedItem: { item: 0 },
    });
  });

  test('asks for the post again while the door is away', async () => {
    const resting = await run({ items: await itemsOf('away.mp4') });
    Object.assign(resting.storedCredentials['mediaServiceWorkerApi'] ?? {}, { url: 'http://127.0.0.1:9' });
    expect(await postTo(resting, { waitId })).toEqual({ status: 503, output: undefined });
  });

  test.each<[string, Partial<NodeRun>, number]>([
    ['stops on errors', { onError: 'stopWorkflow' }, 409],
    ['answers a request with its output', { mode: 'webhook' }, 409],
    ['runs at the command line', { mode: 'cli' }, 409],
    ['has a resume URL that n8n does not know', {}, 401],
  ])('holds on, and asks the door, if it %s', async (_what, more, status) => {
    n8n.status = status;
    const {
      run: held,
      items,
      error,
    } = await run({ ...more, items: (await itemsOf('held.mp4')).slice(0, 1) });
    expect(error).toBeUndefined();
    expect(held.status).toBe('success');
    expect(items.map(({ json }) => json['status'])).toEqual(['COMPLETED']);
    expect(n8n.posts).toHaveLength(status === 409 ? 0 : 1);
  });
});
