import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { startSimulator } from '../../simulator/start-simulator';
import { credentialOf } from './support/credential';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { createPolledTrigger } from './support/polled-trigger';
import type { PolledTrigger } from './support/polled-trigger';
import { until } from '../support/until';

const { N8N_USER_FOLDER: elsewhere } = process.env;
const on = useN8nUploadSetting();
let state: string;
beforeAll(() => {
  process.env['MEDIA_SERVICE_SPOOL_DIR'] = join(on.folder, 'spool');
});
beforeEach(() => {
  state = join(on.folder, `state-${String(Math.random()).slice(2)}`);
  process.env['MEDIA_SERVICE_STATE_DIR'] = state;
});
afterEach(() => {
  process.env['N8N_USER_FOLDER'] = elsewhere;
  delete process.env['EXECUTIONS_MODE'];
});

const triggerOf = (credential = on.credential): PolledTrigger =>
  createPolledTrigger({
    parameters: { event: 'uploadFinished', watch: 'n8n' },
    credentials: { mediaServiceApi: credential },
  });

/** Uploads in n8n, and returns the output. */
async function upload(ingestKey: string, parameters: INodeParameters = {}): Promise<IDataObject | undefined> {
  const binary = await on.storeBinary(await on.writeFile('film.mp4', 1), 'default', { fileName: 'film.mp4' });
  const { items } = await on.run(
    { operation: 'upload', source: 'binary', options: { ingestKey }, ...parameters },
    { items: [{ json: {}, binary: { data: binary } }] },
  );
  return items[0]?.json;
}

const newestSession = (): string => on.simulator.seen().sessions.at(-1)?.uploadId ?? 'none';

/** Polls until something comes, since the service ends an upload some time after it was sent. */
async function nextOf(trigger: PolledTrigger): Promise<IDataObject[]> {
  return until(
    'a poll brings something',
    () => trigger.poll(),
    (items) => items.length > 0,
  );
}

describe('Upload Finished of uploads in n8n, without a Temporal credential and without IDs', () => {
  test('brings each upload once, even after a restart, and none that finished before', async () => {
    await upload('before');
    const trigger = triggerOf();
    expect(await trigger.poll()).toEqual([]);
    const one = await upload('one');
    expect(await trigger.poll()).toEqual([
      expect.objectContaining({ uploadId: one?.['uploadId'], status: 'COMPLETED', ingestKey: 'one' }),
    ]);
    trigger.restart();
    const two = await upload('two');
    // A joined run uploads nothing.
    await upload('one');
    expect((await trigger.poll()).map(({ uploadId }) => uploadId)).toEqual([two?.['uploadId']]);
    expect(await trigger.poll()).toEqual([]);
  });

  test('brings one that failed at the service, with the reason', async () => {
    const trigger = triggerOf();
    await trigger.poll();
    on.simulator.fault('processing-failed:codec not supported');
    expect(await upload('broken')).toBeUndefined();
    expect(await trigger.poll()).toEqual([
      expect.objectContaining({
        uploadId: newestSession(),
        status: 'FAILED',
        failureReason: 'codec not supported',
      }),
    ]);
    expect(await trigger.poll()).toEqual([]);
  });

  test('brings an upload that nobody waited for when it ends, even if it existed at the first poll', async () => {
    on.simulator.fault('processing-stuck');
    const sent = await upload('not waited for', { wait: false });
    const trigger = triggerOf();
    expect(await trigger.poll()).toEqual([]);
    expect(await trigger.poll()).toEqual([]);
    on.simulator.release();
    expect(await nextOf(trigger)).toEqual([
      expect.objectContaining({ uploadId: sent?.['uploadId'], status: 'COMPLETED' }),
    ]);
  });

  test('brings no upload of another account', async () => {
    const other = await startSimulator({ seed: { media: 0, deliveries: 0 } });
    try {
      const trigger = triggerOf(credentialOf(other));
      expect(await trigger.poll()).toEqual([]);
      await upload('of this account');
      // An upload that the service does not know would come with its error in the second poll.
      expect([await trigger.poll(), await trigger.poll()]).toEqual([[], []]);
    } finally {
      await other.close();
    }
  });

  test('reports nothing twice after the folder was away for a while', async () => {
    const trigger = triggerOf();
    await trigger.poll();
    await upload('reported');
    expect(await trigger.poll()).toHaveLength(1);
    await rename(state, `${state}-away`);
    expect(await trigger.poll()).toEqual([]);
    await rename(state, `${state}-empty`);
    await rename(`${state}-away`, state);
    expect(await trigger.poll()).toEqual([]);
    await upload('after');
    expect((await trigger.poll()).map(({ ingestKey }) => ingestKey)).toEqual(['after']);
  });

  test('leaves out a damaged journal, and brings the other uploads', async () => {
    const trigger = triggerOf();
    await trigger.poll();
    await writeFile(join(state, 'uploads', 'damaged.json'), '{"schema":');
    await upload('whole');
    expect((await trigger.poll()).map(({ ingestKey }) => ingestKey)).toEqual(['whole']);
  });

  test('returns the newest finished one for Fetch Test Event, or nothing and no error if there is none', async () => {
    expect(await triggerOf().fetchTestEvent()).toEqual([]);
    await upload('first');
    await upload('second');
    const trigger = triggerOf();
    expect(await trigger.fetchTestEvent()).toEqual([
      expect.objectContaining({ ingestKey: 'second', status: 'COMPLETED' }),
    ]);
    expect(trigger.stored()).toBe('{}');
  });
});

describe('Upload Finished of uploads in n8n, without MEDIA_SERVICE_STATE_DIR', () => {
  beforeEach(async () => {
    delete process.env['MEDIA_SERVICE_STATE_DIR'];
    process.env['N8N_USER_FOLDER'] = join(on.folder, `home-${String(Math.random()).slice(2)}`);
    await mkdir(join(process.env['N8N_USER_FOLDER'], '.n8n'), { recursive: true });
  });

  test("finds them in n8n's data folder", async () => {
    const trigger = triggerOf();
    expect(await trigger.poll()).toEqual([]);
    await upload('in the data folder');
    expect((await trigger.poll()).map(({ ingestKey }) => ingestKey)).toEqual(['in the data folder']);
  });

  test('says in queue mode which setting makes the uploads of all workers visible', async () => {
    process.env['EXECUTIONS_MODE'] = 'queue';
    await expect(triggerOf().poll()).rejects.toMatchObject({
      message: expect.stringMatching(/in queue mode each n8n worker keeps its own record/),
      description: expect.stringMatching(/^Set MEDIA_SERVICE_STATE_DIR, .*one folder that they share/),
    });
  });
});
