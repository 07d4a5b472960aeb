import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { createPolledTrigger } from './support/polled-trigger';
import type { PolledTrigger } from './support/polled-trigger';
import { HOST, openUploadSetting } from './support/upload-setting';
import type { UploadSetting } from './support/upload-setting';

let on: UploadSetting;
beforeAll(async () => {
  on = await openUploadSetting();
}, 60_000);
afterAll(() => on.close());

const PARAMETERS: INodeParameters = { event: 'uploadEnded', watch: 'temporal' };
const triggerOf = (): PolledTrigger =>
  createPolledTrigger({ parameters: PARAMETERS, credentials: on.credentials });

/** Temporal's index lags a little: polls until something comes. */
async function nextOf(trigger: PolledTrigger): Promise<IDataObject[]> {
  for (;;) {
    const items = await trigger.poll();
    if (items.length > 0) return items;
  }
}

async function upload(name: string): Promise<void> {
  const file = await on.writeFile(name, 1);
  const { error } = await on.run({
    operation: 'upload',
    source: 'path',
    path: file.path,
    host: HOST,
    ingestKey: name,
  });
  expect(error).toBeUndefined();
}

test('every upload of the account that ended on Temporal comes once, over a restart', async () => {
  const trigger = triggerOf();
  await expect(trigger.fetchTestEvent()).rejects.toThrow(
    'No uploads on Temporal that ended in the last 30 days',
  );
  expect(await trigger.poll()).toEqual([]);
  await upload('one.mp4');
  expect(await nextOf(trigger)).toEqual([
    expect.objectContaining({
      label: 'one.mp4',
      status: 'COMPLETED',
      arrivedLate: false,
      uploadId: expect.any(String),
      closedAt: expect.any(String),
    }),
  ]);
  trigger.restart();
  await upload('two.mp4');
  expect((await nextOf(trigger)).map(({ label }) => label)).toEqual(['two.mp4']);
  expect(await trigger.poll()).toEqual([]);
  expect((await trigger.fetchTestEvent()).map(({ label }) => label)).toEqual(['two.mp4']);
}, 60_000);

test('without a Temporal credential it says which one it needs', async () => {
  const { mediaServiceApi } = on.credentials;
  const trigger = createPolledTrigger({ parameters: PARAMETERS, credentials: { mediaServiceApi } });
  await expect(trigger.poll()).rejects.toThrow(/credential "Temporal API"/);
});
