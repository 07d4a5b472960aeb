import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test } from '@jest/globals';
import { secretsIn } from '../../support/canary';
import { serveFile } from '../../support/range-server';
import {
  importWorkflow,
  runWorkflow,
  startExecution,
  stopExecution,
  waitForExecution,
} from '../support/n8n-executions';
import { secretsKept } from '../support/kept-by-n8n';
import { keptByTemporal } from '../support/kept-by-temporal';
import { NODE_NAME, nodeOf, useStage, workflowOf } from '../support/n8n-stage';
import type { NodeRun, NodeRunResult } from '../support/n8n-stage';
import { SECRET_TRACES, WORKER_HOST } from '../support/service-fixture';
import { until } from '../../support/until';

const on = useStage({
  env: ({ folder }) => ({
    N8N_LOG_LEVEL: 'debug',
    MEDIA_SERVICE_FILE_ROOTS: folder,
    MEDIA_SERVICE_SOURCE_HOSTS: '127.0.0.1',
  }),
});
afterEach(() => {
  on.stage.fixture.simulator.clearFaults();
  on.stage.fixture.simulator.release();
});

const BY_WORKER = { runIn: 'temporal', by: 'workflowId' };
const RAW = { simplify: false };
/** Runs on a worker, unless `how` says otherwise. */
const run = (parameters: INodeParameters, how?: NodeRun): Promise<NodeRunResult> =>
  on.stage.run(
    { resource: 'upload', ...(how?.credentials === undefined ? BY_WORKER : {}), ...parameters },
    how,
  );
const upload = (parameters: INodeParameters, how?: NodeRun): Promise<NodeRunResult> =>
  run({ operation: 'upload', ...RAW, ...parameters }, how);
/** Runs inside n8n, without the credential for Temporal. */
const inside = (): NodeRun => {
  const { mediaServiceApi } = on.stage.credentials;
  return { credentials: mediaServiceApi === undefined ? {} : { mediaServiceApi } };
};
/** Resolves when the simulator next holds something. */
const nextHeld = (): Promise<unknown> => {
  const { simulator } = on.stage.fixture;
  const last = simulator.events().at(-1)?.seq ?? 0;
  return simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
};
const carried = (result: NodeRunResult): INodeExecutionData[] => result.items.map(({ json }) => ({ json }));

describe('through a Temporal worker', () => {
  test('Upload ends COMPLETED, with identical bytes in storage', async () => {
    const file = await on.stage.fixture.writeFile('kitchen.mp4', 17);
    const { items, error } = await upload({
      source: 'path',
      path: file.path,
      host: WORKER_HOST,
      title: 'Kitchen, after',
      options: { partSizeMb: 5, concurrency: 2 },
    });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 17 * 1024 * 1024, fileType: 'MP4' });
    expect(await on.stage.fixture.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
    const parts = items[0]?.json['parts'] as { verified: boolean }[];
    expect(parts.map(({ verified }) => verified)).toEqual([true, true, true, true]);
  });

  test("the worker fetches binary data of an earlier node from n8n's signed address", async () => {
    const file = await on.stage.fixture.writeFile('downloaded.mp4', 11);
    const { items, error } = await uploadDownloaded(file.path, on.stage.credentials, 'temporal');
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileType: 'MP4', bytes: 11 * 1024 * 1024 });
    expect(await on.stage.fixture.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
  });

  test('the worker reads a signed URL, and Temporal, the execution and the log keep no signature', async () => {
    const signature = 'signature-canary-5b0c';
    const file = await on.stage.fixture.writeFile('remote.mp4', 6);
    const server = await serveFile(file.path, `X-Source-Signature=${signature}`);
    try {
      const sent = await upload({ source: 'url', url: server.url });
      expect(sent.error).toBeUndefined();
      const { uploadId, workflowId } = sent.items[0]?.json ?? {};
      expect(await on.stage.fixture.storedSha256(uploadId)).toBe(file.sha256);
      expect(secretsIn(server.asked.join('\n'), [signature])).toEqual([signature]);
      const kept = await keptByTemporal(on.stage.fixture, workflowId);
      expect(kept).toContain('remote.mp4');
      expect(sent.text).toContain('COMPLETED');
      expect(secretsIn([kept, sent.text, on.stage.n8n.process.log()].join('\n'), [signature])).toEqual([]);
      // The workflow itself contains what its author wrote into the field.
      const files = await secretsKept(on.stage.n8n, [signature]);
      expect(files.length).toBeGreaterThan(0);
      expect(files.filter((file) => !file.startsWith('database.sqlite'))).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('an empty expression for the URL is refused by the name of its field', async () => {
    const { items, error } = await upload(
      { source: 'url', url: '={{ $("Start").item.json.address }}' },
      { items: [{ json: { address: 'unused' } }] },
    );
    expect([items, error?.message]).toEqual([[], '"URL" must start with http:// or https://']);
  });

  test('without waiting, Get shows the upload, Pause and Resume control it, Wait returns its end, Get Many lists it', async () => {
    const { simulator } = on.stage.fixture;
    simulator.fault('hold:always:part=2,bytes=1000');
    const held = nextHeld();
    const file = await on.stage.fixture.writeFile('later.mp4', 16);
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
    expect(await on.stage.fixture.storedSha256(done.items[0]?.json['uploadId'])).toBe(file.sha256);
    // Temporal's index is updated late.
    await until(
      'Get Many lists the upload',
      async () => {
        const many = await run({ operation: 'getMany', returnAll: true });
        expect(many.error).toBeUndefined();
        return many.items.map(({ json }) => json['workflowId']);
      },
      (listed) => listed.includes(items[0]?.json['workflowId']),
    );
  });

  test('Cancel ends the upload, and says what it leaves behind', async () => {
    on.stage.fixture.simulator.fault('processing-stuck');
    const held = nextHeld();
    const file = await on.stage.fixture.writeFile('cancelled.mp4', 6);
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
  ])('$what ends COMPLETED, with identical bytes in storage', async ({ what, parameters }) => {
    const file = await on.stage.fixture.writeFile(`inside ${what}.mp4`, 12);
    const server = await serveFile(file.path);
    try {
      const { items, error } = await upload(
        { ...parameters, path: file.path, url: server.url, options: { partSizeMb: 5 } },
        inside(),
      );
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 12 * 1024 * 1024 });
      expect(await on.stage.fixture.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
    } finally {
      await server.close();
    }
  });

  test('binary data of an earlier node ends COMPLETED, with identical bytes in storage', async () => {
    const file = await on.stage.fixture.writeFile('downloaded inside.mp4', 11);
    const { items, error } = await uploadDownloaded(file.path, inside().credentials);
    expect(error).toBeUndefined();
    expect(await on.stage.fixture.storedSha256(items[0]?.json['uploadId'])).toBe(file.sha256);
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

  test("n8n's stop button ends the upload in the middle of a part, and nothing is completed", async () => {
    const { simulator, writeFile } = on.stage.fixture;
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

describe('wrong input', () => {
  test.each<{ what: string; parameters: INodeParameters; message: RegExp; where?: 'inside' }>([
    {
      what: 'a malformed URL',
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
    const before = on.stage.fixture.simulator.seen().starts;
    const empty = { data: '', mimeType: 'video/mp4', fileName: 'empty.mp4' };
    const items = [{ json: {}, binary: { empty } }];
    const { status, error } = await upload(parameters, { items, ...(where === undefined ? {} : inside()) });
    expect(error?.message).toMatch(message);
    expect([status, on.stage.fixture.simulator.seen().starts]).toEqual(['error', before]);
  });
});

test('after all of this n8n holds no secret in its database, log or files', async () => {
  const { n8n } = on.stage;
  // The same search finds what n8n does keep: a title of the first test, and its message at the start.
  const found = await secretsKept(n8n, ['Kitchen, after', 'Editor is now accessible']);
  expect(found.map((file) => file.replace(/:.*/, ''))).toEqual(
    expect.arrayContaining(['the log', 'database.sqlite']),
  );
  expect(await secretsKept(n8n, SECRET_TRACES)).toEqual([]);
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
