import type { INodeParameters } from 'n8n-workflow';
import { accountId } from '../../api/account';
import { uploadWorkflowId } from '../../temporal/upload/types';
import { nextHeld } from '../support/held';
import { asText } from './support/as-text';
import { useUploadSetting } from './support/upload-setting';
import { until } from '../support/until';

const on = useUploadSetting();

const statusOf = async (workflowId: unknown): Promise<string> =>
  (await on.connection.client.workflow.getHandle(asText(workflowId)).describe()).status.name;

describe('Upload > Upload', () => {
  test('ends COMPLETED for a path on the worker, byte for byte, with its media fields', async () => {
    const file = await on.writeFile('kitchen.mp4', 12);
    const { items, error, run } = await on.run({
      path: file.path,
      title: 'Kitchen, after',
      media: {
        creator: 'Ada',
        resolution: 'HIGH',
        isLibrary: true,
        tags: '{"room": "kitchen"}',
        metadata: '{"workOrder": 4711}',
      },
      ingestKey: 'order-1',
    });
    expect(error).toBeUndefined();
    const [item] = items;
    expect(item?.json).toMatchObject({
      status: 'COMPLETED',
      joined: false,
      ingestKey: 'order-1',
      fileName: 'kitchen.mp4',
      fileType: 'MP4',
      bytes: 12 * 1024 * 1024,
      retries: 0,
      orphans: [],
    });
    expect(item?.pairedItem).toEqual({ item: 0 });
    const { workflowId, uploadId } = item?.json ?? {};
    expect(run.data.resultData.metadata).toEqual({ workflowId, uploadId });
    expect(await on.storedSha256(item?.json['uploadId'])).toBe(file.sha256);
    const session = on.simulator.seen().sessions.find(({ uploadId }) => uploadId === item?.json['uploadId']);
    expect(session).toMatchObject({
      title: 'Kitchen, after',
      tags: { room: 'kitchen', ingestKey: 'order-1' },
    });
  });

  test('makes an upload for every item without a key, and a retry of the execution joins', async () => {
    const file = await on.writeFile('items.mp4', 5);
    const parameters = { path: file.path, wait: false };
    const more = { executionId: 'e-77', items: [{ json: {} }, { json: {} }] };
    const first = await on.run(parameters, more);
    const second = await on.run(parameters, more);
    const ids = first.items.map(({ json }) => json['workflowId']);
    expect(new Set(ids).size).toBe(2);
    expect(second.items.map(({ json }) => [json['workflowId'], json['joined']])).toEqual(
      ids.map((id) => [id, true]),
    );
    for (const id of ids) await on.run({ operation: 'wait', workflowId: asText(id) });
  });

  test('returns at once without waiting; Get shows progress, and Wait its end', async () => {
    on.simulator.fault('processing-stuck');
    const file = await on.writeFile('later.mp4', 6);
    const held = nextHeld(on.simulator);
    const started = await on.run({ path: file.path, wait: false });
    const [item] = started.items;
    expect(Object.keys(item?.json ?? {})).toEqual(['workflowId', 'joined', 'ingestKey']);
    await held();
    const items = started.items;
    // The service accepts it before the worker has its answer.
    const progress = await until(
      'the worker knows that it was accepted',
      () => on.run({ operation: 'get' }, { items }),
      (got) => got.items[0]?.json['phase'] !== 'completing',
    );
    expect(progress.items[0]?.json).toMatchObject({ phase: 'processing', partsDone: 1, partsTotal: 1 });
    const uploadId = asText(progress.items[0]?.json['uploadId']);
    const session = await on.run({ operation: 'get', by: 'uploadId', uploadId });
    expect(session.items[0]?.json).toMatchObject({
      uploadId,
      status: 'PENDING_COMPLETE',
      partsRegistered: 1,
    });
    const raw = await on.run({ operation: 'get', by: 'uploadId', uploadId, simplify: false });
    expect(raw.items[0]?.json).toHaveProperty('bucketName');
    on.simulator.release();
    const done = await on.run({ operation: 'wait' }, { items });
    expect(done.items[0]?.json).toMatchObject({ status: 'COMPLETED', uploadId });
  });

  test('can be cancelled, and its output says what it leaves behind', async () => {
    on.simulator.fault('processing-stuck');
    const held = nextHeld(on.simulator);
    const file = await on.writeFile('cancelled.mp4', 6);
    const { items } = await on.run({ path: file.path, wait: false });
    await held();
    const cancelled = await on.run({ operation: 'cancel' }, { items });
    expect(cancelled.items[0]?.json).toMatchObject({
      cancelRequested: true,
      note: expect.stringMatching(/stays/),
    });
    const waited = await on.run({ operation: 'wait' }, { items });
    expect(waited.error?.message).toMatch(/cancel/i);
    expect(await statusOf(items[0]?.json['workflowId'])).toBe('CANCELLED');
  });
});

test('cancelling the execution leaves the upload running, which does not depend on n8n', async () => {
  on.simulator.fault('processing-stuck');
  const held = nextHeld(on.simulator);
  const file = await on.writeFile('stopped.mp4', 6);
  const stop = new AbortController();
  const running = on.run({ path: file.path, ingestKey: 'stopped' }, { signal: stop.signal });
  await held();
  stop.abort();
  const { run } = await running;
  expect(run.status).toBe('canceled');
  const workflowId = uploadWorkflowId(accountId(on.account), 'stopped');
  expect(await statusOf(workflowId)).toBe('RUNNING');
  await on.run({ operation: 'cancel', workflowId });
});

test('a request without a credential of a worker says that it needs one, and what to do', async () => {
  const credentials = { mediaServiceApi: on.credentials.mediaServiceApi };
  const { error } = await on.run({ operation: 'pause', workflowId: 'upload/x' }, { credentials });
  expect(error).toMatchObject({
    message: 'This operation needs the credential "Media Service Worker API"',
    description: expect.stringMatching(/^Choose one, or run the upload in n8n\..*with its upload ID/),
  });
});

test('the same key for another file is refused, with what differs', async () => {
  const [one, two] = [await on.writeFile('one.mp4', 5), await on.writeFile('two.mp4', 5)];
  const of = (path: string): INodeParameters => ({ path, ingestKey: 'order-9' });
  await on.run(of(one.path));
  const { error } = await on.run(of(two.path));
  expect(error?.message).toMatch(/already exists with a different source/);
  const titled = await on.run({ ...of(one.path), title: 'Kitchen' });
  expect(titled.error?.message).toMatch(/already exists with a different title\./);
  expect(error?.description).toMatch(/Force New Upload.*another "Ingest Key"/);
});

test('the ID of no workflow is reported', async () => {
  const { error } = await on.run({ operation: 'cancel', workflowId: 'nothing' });
  expect(error?.message).toMatch(/There is no upload upload\/.*\/nothing of this account/);
});
