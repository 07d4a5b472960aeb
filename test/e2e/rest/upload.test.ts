import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test } from '@jest/globals';
import { serveFile } from '../../support/range-server';
import {
  importWorkflow,
  runWorkflow,
  startExecution,
  stopExecution,
  waitForExecution,
} from '../support/n8n-executions';
import { secretsKept } from '../support/kept-by-n8n';
import { NODE_NAME, nodeOf, useStage, workflowOf } from '../support/n8n-stage';
import type { NodeRun, NodeRunResult } from '../support/n8n-stage';
import { SECRET_TRACES, WORKER_HOST } from '../support/service-bed';

const on = useStage({
  env: ({ folder }) => ({
    N8N_LOG_LEVEL: 'debug',
    MEDIA_SERVICE_FILE_ROOTS: folder,
    MEDIA_SERVICE_SOURCE_HOSTS: '127.0.0.1',
  }),
});
afterEach(() => {
  on.stage.bed.simulator.clearFaults();
  on.stage.bed.simulator.release();
});

const BY_WORKER = { runIn: 'temporal', by: 'workflowId' };
const RAW = { simplify: false };
/** By a worker, unless `how` says otherwise. */
const run = (parameters: INodeParameters, how?: NodeRun): Promise<NodeRunResult> =>
  on.stage.run(
    { resource: 'upload', ...(how?.credentials === undefined ? BY_WORKER : {}), ...parameters },
    how,
  );
const upload = (parameters: INodeParameters, how?: NodeRun): Promise<NodeRunResult> =>
  run({ operation: 'upload', ...RAW, ...parameters }, how);
/** In n8n, without Temporal's credential. */
const inside = (): NodeRun => {
  const { mediaServiceApi } = on.stage.credentials;
  return { credentials: mediaServiceApi === undefined ? {} : { mediaServiceApi } };
};
/** The next time that the simulator holds something back. */
const nextHeld = (): Promise<unknown> => {
  const { simulator } = on.stage.bed;
  const last = simulator.events().at(-1)?.seq ?? 0;
  return simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
};
const carried = (result: NodeRunResult): INodeExecutionData[] => result.items.map(({ json }) => ({ json }));

describe('through a Temporal worker', () => {
  test('Upload ends COMPLETED, byte for byte in the storage', async () => {
    const file = await on.stage.bed.writeFile('kitchen.mp4', 17);
    const { items, error } = await upload({
      source: 'path',
      path: file.path,
      host: WORKER_HOST,
      title: 'Kitchen, after',
      options: { partSizeMb: 5, concurrency: 2 },
    });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 17 * 1024 * 1024, fileType: 'MP4' });
    expect(await on.stage.bed.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
    const parts = items[0]?.json['parts'] as { verified: boolean }[];
    expect(parts.map(({ verified }) => verified)).toEqual([true, true, true, true]);
  });

  test('binary data of an earlier node is fetched by the worker at n8n’s signed address', async () => {
    const file = await on.stage.bed.writeFile('downloaded.mp4', 11);
    const { items, error } = await uploadDownloaded(file.path, on.stage.credentials, 'temporal');
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileType: 'MP4', bytes: 11 * 1024 * 1024 });
    expect(await on.stage.bed.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
  });

  test('a URL is read by the worker, and n8n keeps no signature of it', async () => {
    const file = await on.stage.bed.writeFile('remote.mp4', 6);
    const server = await serveFile(file.path, 'X-Amz-Signature=of-the-source');
    try {
      const { items, error } = await upload(
        { source: 'url', url: '={{ $("Start").item.json.address }}' },
        { items: [{ json: { address: 'unused' } }] },
      );
      expect([items, error?.message]).toEqual([[], '"URL" must start with http:// or https://']);
      const sent = await upload({ source: 'url', url: server.url.replace(/\?.*/, '') });
      expect(sent.error).toBeUndefined();
      expect(await on.stage.bed.storedSha256(sent.items[0]?.json['uploadId'])).toBe(file.sha256);
    } finally {
      await server.close();
    }
  });

  test('without waiting: Get shows it, Pause and Resume reach it, Wait gives its end, Get Many lists it', async () => {
    const { simulator } = on.stage.bed;
    simulator.fault('hold:always:part=2,bytes=1000');
    const held = nextHeld();
    const file = await on.stage.bed.writeFile('later.mp4', 16);
    const started = await upload({
      source: 'path',
      path: file.path,
      host: WORKER_HOST,
      wait: false,
      options: { partSizeMb: 5, concurrency: 1 },
    });
    expect(started.items[0]?.json).toMatchObject({ joined: false });
    const items = carried(started);
    await held;
    const paused = await run({ operation: 'pause' }, { items });
    expect(paused.items[0]?.json).toMatchObject({ pauseRequested: true });
    const progress = await run({ operation: 'get' }, { items });
    expect(progress.items[0]?.json).toMatchObject({ paused: true, partsTotal: 4 });
    await run({ operation: 'resume' }, { items });
    simulator.clearFaults();
    simulator.release();
    const done = await run({ operation: 'wait' }, { items });
    expect(done.items[0]?.json).toMatchObject({ status: 'COMPLETED' });
    expect(await on.stage.bed.storedSha256(done.items[0]?.json['uploadId'])).toBe(file.sha256);
    // Temporal's index lags behind.
    let listed: unknown[] = [];
    while (!listed.includes(items[0]?.json['workflowId'])) {
      const many = await run({ operation: 'getMany', returnAll: true });
      expect(many.error).toBeUndefined();
      listed = many.items.map(({ json }) => json['workflowId']);
    }
  });

  test('Cancel ends it, and says what stays', async () => {
    on.stage.bed.simulator.fault('processing-stuck');
    const held = nextHeld();
    const file = await on.stage.bed.writeFile('cancelled.mp4', 6);
    const items = carried(await upload({ source: 'path', path: file.path, host: WORKER_HOST, wait: false }));
    await held;
    const cancelled = await run({ operation: 'cancel' }, { items });
    expect(cancelled.items[0]?.json).toMatchObject({
      cancelRequested: true,
      note: expect.stringMatching(/stays/),
    });
    expect((await run({ operation: 'wait' }, { items })).error?.message).toMatch(/cancel/i);
  });
});

describe('inside n8n, without a Temporal credential', () => {
  test.each<{ what: string; parameters: INodeParameters }>([
    { what: 'a path', parameters: { source: 'path' } },
    { what: 'a URL', parameters: { source: 'url' } },
  ])('$what ends COMPLETED, byte for byte in the storage', async ({ what, parameters }) => {
    const file = await on.stage.bed.writeFile(`inside ${what}.mp4`, 12);
    const server = await serveFile(file.path);
    try {
      const { items, error } = await upload(
        { ...parameters, path: file.path, url: server.url, options: { partSizeMb: 5 } },
        inside(),
      );
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 12 * 1024 * 1024 });
      expect(await on.stage.bed.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
    } finally {
      await server.close();
    }
  });

  test('binary data of an earlier node ends COMPLETED, byte for byte in the storage', async () => {
    const file = await on.stage.bed.writeFile('downloaded inside.mp4', 11);
    const { items, error } = await uploadDownloaded(file.path, inside().credentials);
    expect(error).toBeUndefined();
    expect(await on.stage.bed.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
  });

  test.each([
    { fileName: 'photo.jpg', from: 'name' },
    { fileName: undefined, from: 'mimeType' },
    { fileName: 'photo', from: 'mimeType' },
  ])('the type of the file $fileName is guessed from its $from', async ({ fileName, from }) => {
    const { items, error } = await upload(
      { source: 'binary' },
      { ...inside(), items: [binaryItem(fileName, 70_000)] },
    );
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileType: 'JPG', fileTypeFrom: from });
  });

  test('n8n’s stop button ends it in the middle of a part, and nothing is completed', async () => {
    const { simulator, writeFile } = on.stage.bed;
    simulator.fault('hold:always:part=1,bytes=1000');
    const held = nextHeld();
    const file = await writeFile('stopped.mp4', 6);
    const workflow = workflowOf(
      { resource: 'upload', operation: 'upload', source: 'path', path: file.path, title: 'stopped' },
      inside(),
    );
    const { rest } = on.stage.n8n;
    const last = simulator.events().at(-1)?.seq ?? 0;
    const broken = simulator.waitFor(({ event, seq }) => event === 'part-broken' && seq > last);
    const id = await startExecution(rest, await on.stage.import(workflow), 'Start');
    await held;
    await stopExecution(rest, id);
    const ended = await waitForExecution(rest, id);
    expect(ended.status).toBe('canceled');
    simulator.clearFaults();
    simulator.release();
    await broken;
    const session = simulator.seen().sessions.find(({ title }) => title === 'stopped');
    expect(session).toMatchObject({ completesAccepted: 0, parts: [] });
    expect(ended.output(NODE_NAME)).toEqual([]);
  });
});

describe('bad input', () => {
  test.each<{ what: string; parameters: INodeParameters; message: RegExp; where?: 'inside' }>([
    {
      what: 'a URL that is none',
      parameters: { source: 'url', url: 'files/x.mp4' },
      message: /"URL" must start with http/,
    },
    {
      what: 'a path outside the roots',
      parameters: { source: 'path', path: '/etc/passwd', media: { fileType: 'PDF' } },
      message: /outside the allowed folders/,
      where: 'inside',
    },
    {
      what: 'an unsupported type',
      parameters: { source: 'path', path: '/nowhere/x.exe', media: { fileType: '={{ "EXE" }}' } },
      message: /"EXE" is not supported/,
    },
    {
      what: 'a title that is a list',
      parameters: { source: 'path', path: '/nowhere/x.mp4', title: '={{ [1] }}' },
      message: /title/i,
    },
    {
      what: 'a missing binary field',
      parameters: { source: 'binary', binaryPropertyName: 'video' },
      message: /no binary field 'video'/,
    },
    {
      what: 'an empty binary field',
      parameters: { source: 'binary', binaryPropertyName: 'empty' },
      message: /is empty/,
      where: 'inside',
    },
  ])('$what is refused before an upload starts', async ({ parameters, message, where }) => {
    const before = on.stage.bed.simulator.seen().starts;
    const empty = { data: '', mimeType: 'video/mp4', fileName: 'empty.mp4' };
    const items = [{ json: {}, binary: { empty } }];
    const { status, error } = await upload(parameters, { items, ...(where === undefined ? {} : inside()) });
    expect(error?.message).toMatch(message);
    expect([status, on.stage.bed.simulator.seen().starts]).toEqual(['error', before]);
  });
});

test('after all of this n8n keeps no secret in its database, its log or its files', async () => {
  expect(await secretsKept(on.stage.n8n, SECRET_TRACES)).toEqual([]);
});

/** Start, then an HTTP Request that downloads the file, then our node. */
async function uploadDownloaded(
  path: string,
  credentials: NodeRun['credentials'] = {},
  runIn = 'n8n',
): Promise<Outcome> {
  const server = await serveFile(path);
  const download = nodeOf('Download', 'n8n-nodes-base.httpRequest', {
    url: server.url,
    options: { response: { response: { responseFormat: 'file' } } },
  });
  const of = { resource: 'upload', operation: 'upload', runIn, source: 'binary', ...RAW };
  const { nodes } = workflowOf(of, { credentials });
  try {
    const id = await importWorkflow(on.stage.n8n.rest, {
      nodes: [...nodes, { ...download, typeVersion: 4.2 }],
      connections: {
        Start: { main: [[{ node: 'Download', type: 'main', index: 0 }]] },
        Download: { main: [[{ node: NODE_NAME, type: 'main', index: 0 }]] },
      },
    });
    const execution = await runWorkflow(on.stage.n8n.rest, id);
    return { error: execution.error, items: execution.output(NODE_NAME) };
  } finally {
    await server.close();
  }
}

type Outcome = Pick<NodeRunResult, 'error' | 'items'>;

function binaryItem(fileName: string | undefined, bytes: number): INodeExecutionData {
  const data = Buffer.alloc(bytes, 7).toString('base64');
  const binary = { data, mimeType: 'image/jpeg', ...(fileName === undefined ? {} : { fileName }) };
  return { json: {}, binary: { data: binary } };
}
