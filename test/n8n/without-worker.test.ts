import { join } from 'node:path';
import type { INodeParameters } from 'n8n-workflow';
import { controlQueue, transferQueue } from '../../temporal/upload/types';
import { asText } from './support/as-text';
import { hintTexts } from './support/run-workflow';
import { columnsOf, HOST, useUploadSetting } from './support/upload-setting';
import type { UploadSetting } from './support/upload-setting';
import { until } from '../support/until';

const on = useUploadSetting();
let path: string;
let nobody: UploadSetting['credentials'];
beforeAll(async () => {
  ({ path } = await on.writeFile('film.mp4', 1));
  nobody = await on.nobody();
});

const upload = (more: INodeParameters): INodeParameters => ({ path, wait: false, ...more });
const batch = (more: INodeParameters): INodeParameters => ({
  resource: 'batch',
  operation: 'start',
  ...columnsOf({ source: path }),
  folder: join(on.folder, 'batches'),
  wait: false,
  ...more,
});
const accountOf = (workflowId: unknown): string => asText(workflowId).split('/')[1] ?? '';

describe('an upload without a worker', () => {
  test('starts with one hint for all its items, and Get says what it waits for', async () => {
    const { items, run, error } = await on.run(upload({ host: 'later', ingestKey: '={{ $json.key }}' }), {
      items: [{ json: { key: 'one' } }, { json: { key: 'two' } }],
    });
    expect(error).toBeUndefined();
    expect(items.map(({ json }) => json['joined'])).toEqual([false, false]);
    const { workflowId } = items[0]?.json ?? {};
    const queue = transferQueue(on.queuePrefix, accountOf(workflowId), 'later');
    expect(hintTexts({ run })).toEqual([
      `No worker serves the task queue ${queue} yet. The upload starts when a worker does. Run \`media-service worker\` on later.`,
    ]);
    // The first step is on its way to the queue.
    const got = await until(
      'Get says what the upload waits for',
      async () => (await on.run({ operation: 'get', workflowId: asText(workflowId) })).items[0]?.json,
      (json) => json?.['waitReason'] !== undefined,
    );
    expect(got).toMatchObject({
      phase: 'pinning',
      waitReason: { code: 'NoWorker', message: `No worker serves the task queue ${queue}.` },
    });
  });

  test('waits: the console of a manual run says why, and a worker that comes later uploads it', async () => {
    let starting: Promise<void> | undefined;
    const { items, run, error } = await on.run(upload({ host: 'second', ingestKey: 'waited', wait: true }), {
      mode: 'manual',
      onMessage(text) {
        if (text.includes('No worker serves the task queue')) starting ??= on.startWorker('second');
      },
    });
    expect(error).toBeUndefined();
    expect(starting).toBeDefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED' });
    expect(hintTexts({ run })).toEqual([]);
    await starting;
  });
});

test.each(['pause', 'resume', 'cancel'])(
  '%s of an upload or a batch without a worker has a hint',
  async (operation) => {
    const credentials = nobody;
    const { items } = await on.run(upload({ ingestKey: `alone-${operation}` }), { credentials });
    const workflowId = asText(items[0]?.json['workflowId']);
    const hint = `No worker serves the task queue ${controlQueue('nobody', accountOf(workflowId))} yet. The request (${operation}) takes effect when a worker does.`;
    const controlled = await on.run({ operation, workflowId }, { credentials });
    expect(controlled.items[0]?.json).toMatchObject({ workflowId, [`${operation}Requested`]: true });
    expect(hintTexts(controlled)).toEqual([expect.stringContaining(hint)]);
    const shown = (await on.run({ operation: 'get', workflowId }, { credentials })).items[0]?.json;
    expect(shown?.['status']).toBe(operation === 'cancel' ? 'CANCELLING' : 'RUNNING');
    const batchId = `alone-${operation}`;
    await on.run(batch({ batchId }), { credentials });
    const ofBatch = await on.run({ resource: 'batch', operation, batchId }, { credentials });
    expect(hintTexts(ofBatch)).toEqual([expect.stringContaining(hint)]);
  },
);

test('a batch without a worker starts with a hint, and Get says what it waits for', async () => {
  const { items, run, error } = await on.run(batch({ batchId: 'early' }), { credentials: nobody });
  expect(error).toBeUndefined();
  const queue = controlQueue('nobody', accountOf(items[0]?.json['workflowId']));
  const waitReason = { code: 'NoWorker', message: `No worker serves the task queue ${queue}.` };
  expect(items[0]?.json).toMatchObject({ batchId: 'early', joined: false, waitReason });
  expect(hintTexts({ run })).toEqual([
    `No worker serves the task queue ${transferQueue('nobody', accountOf(items[0]?.json['workflowId']), HOST)} yet. The batch starts when a worker does. Run \`media-service worker\` on ${HOST}.`,
  ]);
  const got = await on.run(
    { resource: 'batch', operation: 'get', batchId: 'early' },
    { credentials: nobody },
  );
  expect(got.error).toBeUndefined();
  expect(got.items[0]?.json).toMatchObject({ batchId: 'early', status: 'RUNNING', waitReason });
  expect(got.items[0]?.json).not.toHaveProperty('phase');
});

test('a batch of 20,000 items starts', async () => {
  const items = Array.from({ length: 20_000 }, (_none, index) => ({ json: { source: `/in/${index}.mp4` } }));
  const { items: output, error } = await on.run(
    batch({ batchId: 'many', ...columnsOf({ source: '={{ $json.source }}' }) }),
    { items, credentials: nobody },
  );
  expect(error).toBeUndefined();
  expect(output[0]?.json).toMatchObject({ batchId: 'many', joined: false });
  expect(output[0]?.pairedItem).toHaveLength(20_000);
});
