import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createPolledTrigger } from './support/polled-trigger';
import type { PolledTrigger } from './support/polled-trigger';
import { HOST, useUploadSetting } from './support/upload-setting';
import { until } from '../support/until';

const on = useUploadSetting();

const PARAMETERS: INodeParameters = { event: 'uploadFinished' };
const triggerOf = (parameters = PARAMETERS): PolledTrigger =>
  createPolledTrigger({ parameters, credentials: on.credentials });

/** Polls until something comes, since Temporal's index is updated late. */
async function nextOf(trigger: PolledTrigger): Promise<IDataObject[]> {
  return until(
    'a poll brings something',
    () => trigger.poll(),
    (items) => items.length > 0,
  );
}

async function upload(name: string): Promise<void> {
  const file = await on.writeFile(name, 1);
  const { error } = await on.run({ path: file.path, ingestKey: name });
  expect(error).toBeUndefined();
}

/** Runs a batch of `files` files to its end. The first ones are `earlier`: they stay as they are. Returns all. */
async function batch(batchId: string, files: number, earlier: readonly string[] = []): Promise<string[]> {
  const paths = await Promise.all(
    Array.from(
      { length: files },
      async (_, index) => earlier[index] ?? (await on.writeFile(`${batchId}-${index}.mp4`, 0.01)).path,
    ),
  );
  const items = paths.map((source) => ({ json: { source } }));
  const where = { folder: on.folder, host: HOST };
  const parameters = { resource: 'batch', operation: 'start', ...where, batchId, wait: true };
  const { error } = await on.run(parameters, { items });
  expect(error).toBeUndefined();
  return paths;
}

test('every upload of the account that ended on a worker comes once, even after a restart', async () => {
  const trigger = triggerOf();
  expect(await trigger.fetchTestEvent()).toEqual([]);
  expect(await trigger.poll()).toEqual([]);
  await upload('one.mp4');
  expect(await nextOf(trigger)).toEqual([
    expect.objectContaining({
      name: 'one.mp4',
      status: 'COMPLETED',
      arrivedLate: false,
      uploadId: expect.any(String),
      endedAt: expect.any(String),
    }),
  ]);
  trigger.restart();
  await upload('two.mp4');
  expect((await nextOf(trigger)).map(({ name }) => name)).toEqual(['two.mp4']);
  expect(await trigger.poll()).toEqual([]);
  expect((await trigger.fetchTestEvent()).map(({ name }) => name)).toEqual(['two.mp4']);
});

test('every ended batch comes once, with its counts and folder, even after a restart, and again if started again', async () => {
  const trigger = triggerOf({ event: 'batchFinished' });
  expect(await trigger.fetchTestEvent()).toEqual([]);
  expect(await trigger.poll()).toEqual([]);
  const paths = await batch('harbour', 2);
  expect(await nextOf(trigger)).toEqual([
    {
      workflowId: expect.stringMatching(/^batch\/.*\/harbour$/),
      batchId: 'harbour',
      status: 'COMPLETED',
      manifest: '2 rows',
      folder: join(on.folder, 'harbour'),
      counts: expect.objectContaining({ rows: 2, completed: 2, failed: 0 }),
      startedAt: expect.any(String),
      endedAt: expect.any(String),
      arrivedLate: false,
    },
  ]);
  trigger.restart();
  expect(await trigger.poll()).toEqual([]);
  await batch('harbour', 3, paths);
  expect(await nextOf(trigger)).toEqual([
    expect.objectContaining({ batchId: 'harbour', counts: expect.objectContaining({ rows: 3, earlier: 2 }) }),
  ]);
  expect((await trigger.fetchTestEvent()).map(({ batchId }) => batchId)).toEqual(['harbour']);
});

test('a batch that failed as a whole says why, and what to do; its start has failed even without a wait', async () => {
  const trigger = triggerOf({ event: 'batchFinished' });
  expect(await trigger.poll()).toEqual([]);
  const manifest = join(on.folder, 'wrong.csv');
  await writeFile(manifest, 'source,tilte\n/one.mp4,One\n');
  const what = { resource: 'batch', operation: 'start', rowsFrom: 'manifest', manifest, batchId: 'wrong' };
  const { error, items } = await on.run({ ...what, folder: on.folder, host: HOST, wait: false });
  expect([error?.message, items]).toEqual([expect.stringMatching(/line 1, tilte/), []]);
  expect(error?.description).toMatch(/Did you mean title/);
  expect(await nextOf(trigger)).toEqual([
    expect.objectContaining({
      batchId: 'wrong',
      status: 'FAILED',
      error: error?.message,
      hint: error?.description,
    }),
  ]);
});

test('a missing credential of a worker is named in the error', async () => {
  const { mediaServiceApi } = on.credentials;
  for (const parameters of [PARAMETERS, { event: 'batchFinished' }]) {
    const trigger = createPolledTrigger({ parameters, credentials: { mediaServiceApi } });
    await expect(trigger.poll()).rejects.toThrow(
      'This event needs the credential "Media Service Worker API"',
    );
  }
});
