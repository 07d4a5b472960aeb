import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { createTempDir } from '../support/temp-dir';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { serveFile } from '../support/range-server';
import { asText } from './support/as-text';
import { binaryService, storedText, useBinaryData } from './support/run-workflow';
import type { runNode } from './support/run-workflow';
import { serveSignedBinaries } from './support/signed-binaries';
import { HOST, openUploadSetting } from './support/upload-setting';
import type { UploadSetting } from './support/upload-setting';

let on: UploadSetting;
beforeAll(async () => {
  on = await openUploadSetting();
}, 60_000);
afterAll(() => on.close());
afterEach(() => {
  on.simulator.clearFaults();
  on.simulator.release();
});

const upload = (parameters: INodeParameters): INodeParameters => ({ operation: 'upload', ...parameters });
/** The next time that the simulator holds something back. */
const nextHeld = (): Promise<unknown> => {
  const last = on.simulator.events().at(-1)?.seq ?? 0;
  return on.simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
};
const statusOf = async (workflowId: unknown): Promise<string> =>
  (await on.connection.client.workflow.getHandle(asText(workflowId)).describe()).status.name;
const sha256Of = async (uploadId: unknown): Promise<string> => {
  const session = on.simulator.seen().sessions.find((one) => one.uploadId === uploadId);
  return on.simulator.objectSha256(session?.keyName ?? 'no such session');
};

describe('Upload > Upload', () => {
  test('a path on the worker ends COMPLETED, byte for byte, with its media fields', async () => {
    const file = await on.writeFile('kitchen.mp4', 12);
    const { items, error } = await on.run(
      upload({
        source: 'path',
        path: file.path,
        host: HOST,
        title: 'Kitchen, after',
        ingestKey: 'order-1',
        media: {
          creator: 'Ada',
          resolution: 'HIGH',
          isLibrary: true,
          tags: { tag: [{ key: 'room', value: 'kitchen' }] },
          metadata: '{"workOrder": 4711}',
        },
        options: { partSizeMb: 6, concurrency: 2 },
      }),
    );
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
    expect(await sha256Of(item?.json['uploadId'])).toBe(file.sha256);
    const session = on.simulator.seen().sessions.find(({ uploadId }) => uploadId === item?.json['uploadId']);
    expect(session).toMatchObject({
      title: 'Kitchen, after',
      tags: { room: 'kitchen', ingestKey: 'order-1' },
    });
  }, 60_000);

  test('Most Parts of the credential bounds the parts, also against the wished part size', async () => {
    const file = await on.writeFile('bounded.mp4', 12);
    const mediaServiceApi = { ...on.credentials.mediaServiceApi, advanced: true, maxParts: 2 };
    const { items, error } = await on.run(
      upload({ source: 'path', path: file.path, host: HOST, options: { partSizeMb: 5 } }),
      { credentials: { ...on.credentials, mediaServiceApi } },
    );
    expect(error).toBeUndefined();
    expect(items[0]?.json['parts']).toHaveLength(2);
  }, 60_000);

  test('the same ingest key joins: one session, the same result', async () => {
    const file = await on.writeFile('twice.mp4', 6);
    const parameters = upload({ source: 'path', path: file.path, host: HOST, ingestKey: 'order-2' });
    const first = await on.run(parameters);
    const starts = on.simulator.seen().starts;
    const second = await on.run(parameters);
    expect(second.items[0]?.json).toMatchObject({ joined: true, uploadId: first.items[0]?.json['uploadId'] });
    expect(on.simulator.seen().starts).toBe(starts);
    const again = await on.run({ ...parameters, options: { again: true } });
    expect(again.items[0]?.json['uploadId']).not.toBe(first.items[0]?.json['uploadId']);
  }, 60_000);

  test('without a key every item is an upload of its own, and a retry of the execution joins', async () => {
    const file = await on.writeFile('items.mp4', 5);
    const parameters = upload({ source: 'path', path: file.path, host: HOST, wait: false });
    const more = { executionId: 'e-77', items: [{ json: {} }, { json: {} }] };
    const first = await on.run(parameters, more);
    const second = await on.run(parameters, more);
    const ids = first.items.map(({ json }) => json['workflowId']);
    expect(new Set(ids).size).toBe(2);
    expect(second.items.map(({ json }) => [json['workflowId'], json['joined']])).toEqual(
      ids.map((id) => [id, true]),
    );
    for (const id of ids) await on.run({ operation: 'wait', workflowId: asText(id) });
  }, 60_000);

  test('without waiting it returns at once; Get shows progress, Wait its end, Get Many lists it', async () => {
    on.simulator.fault('processing-stuck');
    const file = await on.writeFile('later.mp4', 6);
    const held = nextHeld();
    const started = await on.run(upload({ source: 'path', path: file.path, host: HOST, wait: false }));
    const [item] = started.items;
    expect(Object.keys(item?.json ?? {}).sort()).toEqual(['ingestKey', 'joined', 'workflowId']);
    await held;
    const items = started.items;
    const progress = await on.run({ operation: 'get' }, { items });
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
    const listed = await on.run({ operation: 'getMany', returnAll: true });
    expect(listed.items.map(({ json }) => json['workflowId'])).toContain(item?.json['workflowId']);
  }, 60_000);

  test('Pause and Resume reach the upload', async () => {
    on.simulator.fault('hold:1:part=2,bytes=1000');
    const held = nextHeld();
    const file = await on.writeFile('paused.mp4', 11);
    const options = { partSizeMb: 6, concurrency: 1 };
    const { items } = await on.run(
      upload({ source: 'path', path: file.path, host: HOST, wait: false, options }),
    );
    await held;
    expect((await on.run({ operation: 'pause' }, { items })).items[0]?.json).toMatchObject({
      pauseRequested: true,
    });
    expect((await on.run({ operation: 'get' }, { items })).items[0]?.json).toMatchObject({ paused: true });
    await on.run({ operation: 'resume' }, { items });
    on.simulator.release();
    expect((await on.run({ operation: 'wait' }, { items })).items[0]?.json).toMatchObject({
      status: 'COMPLETED',
    });
  }, 60_000);

  test('Cancel ends the upload, and its output says what stays', async () => {
    on.simulator.fault('processing-stuck');
    const held = nextHeld();
    const file = await on.writeFile('cancelled.mp4', 6);
    const { items } = await on.run(upload({ source: 'path', path: file.path, host: HOST, wait: false }));
    await held;
    const cancelled = await on.run({ operation: 'cancel' }, { items });
    expect(cancelled.items[0]?.json).toMatchObject({
      cancelRequested: true,
      note: expect.stringMatching(/stays/),
    });
    const waited = await on.run({ operation: 'wait' }, { items });
    expect(waited.error?.message).toMatch(/cancel/i);
    expect(await statusOf(items[0]?.json['workflowId'])).toBe('CANCELLED');
  }, 60_000);

  test('a URL is read by the worker and stands sealed wherever Temporal or n8n keep it', async () => {
    const file = await on.writeFile('remote.mp4', 7);
    const server = await serveFile(file.path);
    const canary = 'canary-of-the-signature';
    try {
      const parameters = upload({ source: 'url', url: '={{ $json.address }}' });
      const finished = await on.run(parameters, {
        items: [{ json: { address: `${server.url}?X-Amz-Signature=${canary}` } }],
      });
      expect(finished.error).toBeUndefined();
      const [item] = finished.items;
      expect(await sha256Of(item?.json['uploadId'])).toBe(file.sha256);
      expect(JSON.stringify(finished.items)).not.toContain(canary);
      const history = readableTexts(await recordedHistory(on.connection, asText(item?.json['workflowId'])));
      expect(history).toContain('remote.mp4');
      expect(history).not.toContain(canary);
      expect(history).not.toContain(on.simulator.account.secretKey);
    } finally {
      await server.close();
    }
  }, 60_000);
});

describe('cancelling the execution', () => {
  const whileProcessing = async (options: INodeParameters): Promise<Awaited<ReturnType<typeof runNode>>> => {
    on.simulator.fault('processing-stuck');
    const held = nextHeld();
    const file = await on.writeFile(`stopped-${Object.keys(options).length}.mp4`, 6);
    const stop = new AbortController();
    const workflowId = `stopped-${Object.keys(options).length}`;
    const run = on.run(
      upload({ source: 'path', path: file.path, host: HOST, options: { ...options, workflowId } }),
      { signal: stop.signal },
    );
    await held;
    stop.abort();
    return run;
  };

  test('leaves the upload running, which survives n8n', async () => {
    const { run } = await whileProcessing({});
    expect(run.status).toBe('canceled');
    expect(await statusOf('stopped-0')).toBe('RUNNING');
    await on.run({ operation: 'cancel', workflowId: 'stopped-0' });
  }, 60_000);

  test('cancels the upload as well where the option says so', async () => {
    const { run } = await whileProcessing({ cancelWithExecution: true });
    expect(run.status).toBe('canceled');
    const handle = on.connection.client.workflow.getHandle('stopped-1');
    await expect(handle.result()).rejects.toMatchObject({ name: 'WorkflowFailedError' });
    expect(await statusOf('stopped-1')).toBe('CANCELLED');
  }, 60_000);
});

describe('binary data of the item', () => {
  let item: INodeExecutionData;
  let file: { readonly path: string; readonly sha256: string };

  const storeIn = async (folder: string, mode: 'filesystem' | 'default'): Promise<void> => {
    await useBinaryData(folder, mode);
    const binary = { mimeType: 'video/mp4', fileName: 'from n8n.mp4', data: '' };
    const location = { type: 'execution', workflowId: 'w', executionId: 'e' } as const;
    const data = await binaryService().store(location, await readFile(file.path), binary);
    item = { json: {}, binary: { data } };
  };
  const withFolder = (sharedFolder: string): Parameters<typeof on.run>[1] => ({
    items: [item],
    credentials: {
      ...on.credentials,
      mediaServiceTemporalApi: { ...on.credentials.mediaServiceTemporalApi, sharedFolder },
    },
  });

  beforeAll(async () => {
    file = await on.writeFile('binary.bin', 6);
  });
  afterEach(() => {
    delete process.env['MEDIA_SERVICE_FILE_ROOTS'];
  });

  test.each(['filesystem', 'default'] as const)(
    'in mode %s goes through the shared folder, which is empty again at the end',
    async (mode) => {
      await storeIn(join(on.folder.path, 'n8n'), mode);
      const shared = await createTempDir('shared');
      try {
        process.env['MEDIA_SERVICE_FILE_ROOTS'] = on.folder.path;
        const refused = await on.run(upload({ source: 'binary' }), withFolder(shared.path));
        expect(refused.error).toMatchObject({
          message: expect.stringMatching(/outside the allowed folders/),
          description: expect.stringMatching(/MEDIA_SERVICE_FILE_ROOTS/),
        });
        expect(await readdir(shared.path)).toEqual([]);
        const before = await readdir(on.folder.path);
        const { items, error } = await on.run(upload({ source: 'binary' }), withFolder(on.folder.path));
        expect(error).toBeUndefined();
        expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileType: 'MP4' });
        expect(await sha256Of(items[0]?.json['uploadId'])).toBe(file.sha256);
        expect(await readdir(on.folder.path)).toEqual(before);
      } finally {
        await shared.remove();
      }
    },
    60_000,
  );

  test('without a shared folder the worker fetches it at n8n’s signed address', async () => {
    await storeIn(join(on.folder.path, 'n8n'), 'filesystem');
    const n8n = await serveSignedBinaries();
    try {
      const { items, error, run } = await on.run(upload({ source: 'binary' }), {
        items: [item],
        restApiUrl: n8n.restApiUrl,
      });
      expect(error).toBeUndefined();
      expect(await sha256Of(items[0]?.json['uploadId'])).toBe(file.sha256);
      expect(n8n.served()).toBe(1);
      expect(storedText(run)).not.toMatch(/token=/);
    } finally {
      await n8n.close();
    }
  }, 60_000);

  test('in memory without a shared folder is an error that names both ways out', async () => {
    await storeIn(join(on.folder.path, 'n8n'), 'default');
    const { error } = await on.run(upload({ source: 'binary' }), { items: [item] });
    expect(error?.description).toMatch(/Shared Folder.*N8N_DEFAULT_BINARY_DATA_MODE/s);
  });

  test('a field that the item lacks is an error that names it', async () => {
    const { error } = await on.run(upload({ source: 'binary', binaryPropertyName: 'video' }), {
      items: [item],
    });
    expect(error?.message).toMatch(/no binary field 'video'/);
  });
});

describe('bad input of Upload > Upload', () => {
  test.each(['getMany', 'pause', 'resume', 'cancel'])(
    'without a "Temporal API" credential %s says that it needs one, and what to do',
    async (operation) => {
      const { error } = await on.run(
        { operation, ...(operation === 'getMany' ? {} : { workflowId: 'upload/x' }) },
        { credentials: { mediaServiceApi: on.credentials.mediaServiceApi } },
      );
      expect(error).toMatchObject({
        message: 'This operation needs the credential "Temporal API"',
        description: expect.stringMatching(/Choose a "Temporal API" credential.*by its upload ID/),
      });
    },
  );

  test.each<{ what: string; parameters: INodeParameters; message: RegExp; hint?: RegExp }>([
    {
      what: 'a URL that is none',
      parameters: { source: 'url', url: 'files/x.mp4' },
      message: /"URL" is no http/,
    },
    { what: 'an ftp URL', parameters: { source: 'url', url: 'ftp://x/y.mp4' }, message: /"URL" is no http/ },
    {
      what: 'an empty path',
      parameters: { path: '={{ $json.none }}' },
      message: /"Path" is empty for this item/,
    },
    {
      what: 'a file type that is not supported',
      parameters: { media: { fileType: '={{ "EXE" }}' } },
      message: /"EXE" is not supported/,
      hint: /MP4/,
    },
    {
      what: 'reserved metadata',
      parameters: { media: { metadata: '{"failureReason":1}' } },
      message: /"failureReason" is reserved/,
    },
    {
      what: 'metadata that is no JSON',
      parameters: { media: { metadata: '{' } },
      message: /"Metadata \(JSON\)" is no JSON/,
    },
    {
      what: 'a creator of 256 characters',
      parameters: { media: { creator: 'x'.repeat(256) } },
      message: /at most 255/,
    },
    {
      what: 'a duration in parts of a millisecond',
      parameters: { media: { duration: 1.5 } },
      message: /whole number of milliseconds/,
    },
    {
      what: 'a tag that is a list',
      parameters: { media: { tagsJson: '{"a":[1]}' } },
      message: /tag "a" is no text/,
    },
    {
      what: '17 parts at once',
      parameters: { options: { concurrency: 17 } },
      message: /"Parts at Once" must be a whole number from 1 to 16/,
    },
    {
      what: 'a host without a worker',
      parameters: { host: 'elsewhere' },
      message: /No worker polls the task queue .*elsewhere/,
      hint: /leave the host field empty/,
    },
  ])('$what: is refused before an upload starts', async ({ parameters, message, hint }) => {
    const before = on.simulator.seen().starts;
    const { error } = await on.run(
      upload({ source: 'path', path: '/nowhere/x.mp4', host: HOST, ...parameters }),
    );
    expect(error?.message).toMatch(message);
    if (hint !== undefined) expect(error?.description).toMatch(hint);
    expect(on.simulator.seen().starts).toBe(before);
  });

  test('no worker at all: names the queue and the command', async () => {
    const { error } = await on.run(upload({ source: 'path', path: '/x.mp4' }), {
      credentials: {
        ...on.credentials,
        mediaServiceTemporalApi: { ...on.credentials.mediaServiceTemporalApi, taskQueuePrefix: 'nobody' },
      },
    });
    expect(error?.message).toMatch(/No worker polls the task queue nobody\.demo-studio-/);
    expect(error?.description).toMatch(/media-service worker/);
  });

  test('a Temporal that is chosen and does not answer: names its address, and nothing is uploaded inside n8n', async () => {
    const { starts } = on.simulator.seen();
    const { error } = await on.run(upload({ source: 'path', path: '/x.mp4' }), {
      credentials: {
        ...on.credentials,
        mediaServiceTemporalApi: { ...on.credentials.mediaServiceTemporalApi, address: '127.0.0.1:9' },
      },
    });
    expect(error?.message).toMatch(/No Temporal server answers at 127\.0\.0\.1:9/);
    expect(on.simulator.seen().starts).toBe(starts);
  }, 30_000);

  test('the same key for another file is refused with what differs', async () => {
    const [one, two] = [await on.writeFile('one.mp4', 5), await on.writeFile('two.mp4', 5)];
    const of = (path: string): INodeParameters =>
      upload({ source: 'path', path, host: HOST, ingestKey: 'order-9' });
    await on.run(of(one.path));
    const { error } = await on.run(of(two.path));
    expect(error?.message).toMatch(/exists with another source/);
    expect(error?.description).toMatch(/another id or ingest key/);
  }, 60_000);

  test('a file that processing rejects ends as an error with the reason of the service', async () => {
    on.simulator.fault('processing-failed');
    const file = await on.writeFile('broken.mp4', 5);
    const { error } = await on.run(upload({ source: 'path', path: file.path, host: HOST }));
    expect(error?.message).toMatch(/could not process the upload: The file could not be processed/);
  }, 60_000);

  test('an upload id that does not exist, and an id of no workflow: say so', async () => {
    const session = await on.run({ operation: 'get', by: 'uploadId', uploadId: 'nothing' });
    expect(session.error).toMatchObject({ httpCode: expect.stringMatching(/400|404/) });
    const workflow = await on.run({ operation: 'cancel', workflowId: 'nothing' });
    expect(workflow.error?.message).toMatch(/Temporal knows no such upload.*nothing/);
  });
});
