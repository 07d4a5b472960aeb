import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { nextHeld } from '../support/held';
import { hintTexts, NODE_TYPE, nodeOf, runWorkflow } from './support/run-workflow';
import { columnsOf, HOST, useUploadSetting } from './support/upload-setting';
import type { UploadSetting } from './support/upload-setting';
import { until } from '../support/until';

const on = useUploadSetting();

const run = (
  operation: string,
  parameters: INodeParameters = {},
  more: Parameters<UploadSetting['run']>[1] = {},
): ReturnType<UploadSetting['run']> => on.run({ resource: 'batch', operation, ...parameters }, more);
const start = (
  parameters: INodeParameters,
  more: Parameters<UploadSetting['run']>[1] = {},
): ReturnType<UploadSetting['run']> =>
  run('start', { folder: join(on.folder, 'batches'), host: HOST, wait: false, ...parameters }, more);
/** Items that name one small file each. */
const itemsOf = (name: string, count: number): Promise<INodeExecutionData[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, index): Promise<INodeExecutionData> => {
      const { path, sha256 } = await on.writeFile(`${name}-${index}.mp4`, 0.01);
      const order = `${name}-${index}`;
      return { json: { source: path, sha256, title: order, order, room: 'kitchen' } };
    }),
  );
const sessionsOf = (name: string): ReturnType<UploadSetting['simulator']['seen']>['sessions'] =>
  on.simulator.seen().sessions.filter(({ title }) => title?.startsWith(`${name}-`) === true);

describe('Batch > Start', () => {
  test('makes one batch of all items, byte for byte, with their fields and its own results folder', async () => {
    const items = await itemsOf('film', 3);
    const {
      items: output,
      error,
      run: finished,
    } = await start(
      {
        batchId: 'harbour',
        ...columnsOf({
          ...{ source: '={{ $json.source }}', title: '={{ $json.order }}', id: '={{ $json.order }}' },
          ...{ creator: 'Ada', tags: '={{ { room: $json.room } }}' },
        }),
        wait: true,
      },
      { items },
    );
    expect(error).toBeUndefined();
    const folder = join(on.folder, 'batches', 'harbour');
    expect(output).toHaveLength(1);
    expect(output[0]?.json).toMatchObject({
      batchId: 'harbour',
      joined: false,
      round: 1,
      counts: { rows: 3, completed: 3, failed: 0, cancelled: 0, running: 0, waiting: 0 },
      results: { csv: join(folder, 'results.csv'), jsonl: join(folder, 'results.jsonl') },
    });
    expect(output[0]?.pairedItem).toMatchObject([{ item: 0 }, { item: 1 }, { item: 2 }]);
    const { workflowId } = output[0]?.json ?? {};
    expect(finished.data.resultData.metadata).toEqual({ workflowId, batchId: 'harbour' });
    const sessions = sessionsOf('film');
    expect(sessions.map(({ tags }) => tags['room'])).toEqual(['kitchen', 'kitchen', 'kitchen']);
    const sums = await Promise.all(sessions.map(({ keyName }) => on.simulator.objectSha256(keyName)));
    expect(sums.sort()).toEqual(items.map(({ json }) => json['sha256']).sort());
    const results = await readFile(join(folder, 'results.csv'), 'utf8');
    expect(results.match(/,COMPLETED,/g)).toHaveLength(3);
  });

  test('lets a worker read a manifest, once for each item that names one, with paths relative to its folder', async () => {
    await itemsOf('beside', 2);
    const manifest = join(on.folder, 'beside.csv');
    await writeFile(manifest, 'source,title\nbeside-0.mp4,beside-0\nbeside-1.mp4,beside-1\n');
    const parameters = { rowsFrom: 'manifest', manifest: '={{ $json.manifest }}', wait: true };
    const { items: output, error } = await start(parameters, { items: [{ json: { manifest } }] });
    expect(error).toBeUndefined();
    expect(output[0]?.json).toMatchObject({ rows: 2, counts: { completed: 2 } });
    expect(output[0]?.pairedItem).toEqual({ item: 0 });
  });

  test('makes a new batch for each execution without an ID, and a retry of the node joins', async () => {
    const items = await itemsOf('own', 1);
    const parameters = { wait: true };
    const ids = [];
    for (const executionId of ['e-1', 'e-1', 'e-2']) {
      const { items: output, error } = await start(parameters, { items, executionId });
      expect(error).toBeUndefined();
      ids.push(output[0]?.json['batchId']);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
    expect(sessionsOf('own')).toHaveLength(2);
  });
});

test.each([undefined, 'combined' as const])(
  'each result is paired with the item that its row came from, whatever the order in which the rows ended (binary mode %s)',
  async (binaryMode) => {
    const name = `paired-${binaryMode}`;
    const items = await itemsOf(name, 3);
    const ours = (name: string, parameters: INodeParameters): INode => ({
      ...nodeOf(name, NODE_TYPE, parameters),
      credentials: Object.fromEntries(
        Object.keys(on.credentials).map((type) => [type, { id: type, name: type }]),
      ),
    });
    const batch = { resource: 'batch', batchId: name };
    const start = { ...batch, operation: 'start', folder: on.folder };
    // Its error names the order that the expression finds.
    const find = {
      resource: 'batch',
      operation: 'get',
      batchId: '={{ $("List").item.json?.order ?? $("List").item.order }}',
    };
    const { output, run: finished } = await runWorkflow({
      nodes: [
        nodeOf('List', 'n8n-nodes-base.manualTrigger', {}),
        ours('Start', start),
        ours('Results', { ...batch, operation: 'getResults', returnAll: true }),
        { ...ours('Find', find), onError: 'continueRegularOutput' },
      ],
      connections: Object.fromEntries(
        ['List', 'Start', 'Results', 'Find'].map((node, index, all) => [
          all[index - 1] ?? 'nothing',
          { main: [[{ node, type: 'main' as const, index: 0 }]] },
        ]),
      ),
      given: { List: items },
      credentials: on.credentials,
      ...(binaryMode === undefined ? {} : { binaryMode }),
    });
    expect(finished.data.resultData.error).toBeUndefined();
    const lines = output('Results').map(({ json }) => Number(json['line']));
    expect(lines.toSorted()).toEqual([1, 2, 3]);
    expect(output('Find').map(({ json }) => json['error'])).toEqual(
      lines.map((line) => expect.stringContaining(`/${name}-${line - 1} of this account`)),
    );
  },
);

describe('a running batch', () => {
  test('can be shown, paused, resumed and waited for', async () => {
    on.simulator.fault('processing-stuck');
    const held = nextHeld(on.simulator);
    const started = await start({ batchId: 'controlled' }, { items: await itemsOf('controlled', 1) });
    expect(started.items[0]?.json).toEqual({
      batchId: 'controlled',
      workflowId: expect.stringMatching(/^batch\/.*\/controlled$/),
      joined: false,
      folder: join(on.folder, 'batches', 'controlled'),
      rows: 1,
    });
    await held();
    const { items } = started;
    // Counts of a running page come with its heartbeats.
    const running = await until(
      'the row runs',
      async () => (await run('get', {}, { items })).items[0]?.json,
      (shown) => (shown?.['counts'] as { readonly running?: number }).running === 1,
    );
    expect(running).toMatchObject({
      batchId: 'controlled',
      status: 'RUNNING',
      phase: 'uploading',
      counts: { rows: 1, running: 1 },
    });
    expect((await run('pause', {}, { items })).items[0]?.json).toMatchObject({ pauseRequested: true });
    expect((await run('get', { batchId: 'controlled' })).items[0]?.json).toMatchObject({ phase: 'paused' });
    expect((await run('resume', {}, { items })).items[0]?.json).toMatchObject({ resumeRequested: true });
    on.simulator.release();
    const ended = await run('wait', {}, { items });
    expect(ended.items[0]?.json).toMatchObject({ batchId: 'controlled', counts: { completed: 1 } });
  });

  test('reports failed rows, and Retry Failed uploads them again', async () => {
    on.simulator.fault('processing-failed');
    const { items, run: finished } = await start(
      { batchId: 'flawed', wait: true },
      { items: await itemsOf('flawed', 2) },
    );
    expect(items[0]?.json).toMatchObject({
      counts: { rows: 2, completed: 1, failed: 1 },
      results: { failed: expect.stringContaining('failed.csv') },
    });
    expect(hintTexts({ run: finished })).toEqual([
      expect.stringMatching(/^flawed: 1 of 2 rows were not uploaded\. See .*failed\.csv/),
    ]);
    const results = await run('getResults', { returnAll: true }, { items });
    expect(results.items.map(({ json }) => json['status']).sort()).toEqual(['COMPLETED', 'FAILED']);
    const others = await run('getResults', { batchId: 'flawed' }, { items: [{ json: {} }] });
    expect(others.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
    const failed = await run('getResults', { outcome: 'FAILED', limit: 1 }, { items });
    expect(failed.items).toEqual([
      {
        json: expect.objectContaining({
          line: expect.any(Number),
          source: expect.stringContaining('flawed-'),
          failure: expect.objectContaining({ code: 'ProcessingFailed', hint: expect.any(String) }),
        }),
        pairedItem: expect.objectContaining({ item: expect.any(Number) }),
      },
    ]);
    const retried = await run('retryFailed', { wait: true }, { items });
    expect(retried.error).toBeUndefined();
    expect(retried.items[0]?.json).toMatchObject({
      batchId: 'flawed',
      joined: false,
      round: 2,
      counts: { rows: 2, completed: 2, failed: 0 },
    });
    const once = await run('retryFailed', { wait: true }, { items });
    expect(once.items[0]?.json).toMatchObject({ joined: true, round: 2 });
  });
});

describe('wrong input', () => {
  test('without a credential of a worker is refused with the name of the credential', async () => {
    const credentials = { mediaServiceApi: on.credentials.mediaServiceApi };
    const { error } = await start(columnsOf({ source: '/x.mp4' }), { credentials });
    expect(error).toMatchObject({
      message: 'This operation needs the credential "Media Service Worker API"',
      description: expect.stringMatching(/Batches always run on workers/),
    });
  });

  test('is refused if its items would belong to different batches, and the error belongs to all items', async () => {
    const items = ['harbour', 'harbour', 'apollo'].map((project) => ({
      json: { project, source: '/x.mp4' },
    }));
    const { items: failed } = await start(
      { batchId: '={{ $json.project }}' },
      { items, onError: 'continueRegularOutput' },
    );
    expect(failed).toEqual([
      {
        json: expect.objectContaining({
          error: expect.stringContaining('"Batch ID" is "harbour" for item 0 and "apollo" for item 2'),
        }),
        pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
      },
    ]);
  });

  test('is reported for all items at once, and nothing is started', async () => {
    const items = [
      { source: '/x.mp4', id: 'a', duration: 1 },
      { source: 'x.mp4', id: 'b', duration: 1 },
      { source: '', id: 'c', duration: 1 },
      { source: '/y.exe', id: 'd', duration: 1.5 },
      { source: '/z.mp4', id: 'a', duration: 1 },
    ].map((json) => ({ json }));
    const { error } = await start({ batchId: 'wrong' }, { items });
    expect(error?.message).toBe('source is empty');
    expect(error).toMatchObject({ context: { itemIndex: 2 } });
    const others = items.filter(({ json }) => json.source !== '');
    const refused = await start({ batchId: 'wrong' }, { items: others });
    expect(refused.error?.message).toMatch(
      /3 mistakes: item 1, source: the path is relative.*item 2, fileType: .*y\.exe.*item 3, id: the id "a" is already in item 0/,
    );
    expect((await run('get', { batchId: 'wrong' })).error?.message).toMatch(/There is no batch/);
  });

  test('such as too many rows for a direct start is refused with a hint to use a manifest', async () => {
    const titled = (length: number): INodeParameters =>
      columnsOf({ source: '={{ $json.source }}', title: `={{ "x".repeat(${length}) }}` });
    const items = Array.from({ length: 80 }, (_, index) => ({ json: { source: `/${index}.mp4` } }));
    const { error } = await start(titled(23_000), { items });
    expect(error?.message).toMatch(/The rows .*1800000/);
    expect(error?.description).toMatch(/Write them to a file or an S3 object as JSON lines/);
    const larger = await start(titled(30_000), { items });
    expect(larger.error?.message).toMatch(/body is too large/);
    expect(larger.error?.description).toMatch(/more than 1.5 MB of rows in a manifest/);
  });
});
