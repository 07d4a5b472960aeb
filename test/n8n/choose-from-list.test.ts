import { LoadOptionsContext } from 'n8n-core';
import type { ILoadOptionsFunctions, INodeListSearchResult, INodeParameters } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { MediaService } from '../../nodes/MediaService/MediaService.node';
import { until } from '../support/until';
import { TestCredentialsHelper } from './support/credentials-helper';
import { nodeTypes } from './support/node-types';
import { additionalDataOf, NODE_TYPE, nodeOf } from './support/run-workflow';
import { columnsOf, HOST, useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();

/** What the editor asks for when a user opens the list. */
function search(
  list: 'uploads' | 'batches',
  { filter, page, ...change }: { filter?: string; page?: string; token?: string } = {},
): Promise<INodeListSearchResult> {
  const ours = new MediaService();
  const worker = { ...on.credentials.mediaServiceWorkerApi, ...change };
  const node = {
    ...nodeOf('Media Service', NODE_TYPE, {
      resource: list === 'uploads' ? 'upload' : 'batch',
      operation: 'pause',
    }),
    credentials: { mediaServiceWorkerApi: { id: 'w', name: 'w' } },
  };
  const workflow = new Workflow({
    ...{ nodes: [node], connections: {}, active: false, nodeTypes: nodeTypes(() => ours) },
  });
  const additionalData = additionalDataOf({
    ...{ executionId: 'e', mode: 'internal', nodes: [node] },
    credentialsHelper: new TestCredentialsHelper({ mediaServiceWorkerApi: worker }),
  });
  const context = new LoadOptionsContext(workflow, node, additionalData, 'parameters.workflowId');
  return ours.methods.listSearch[list].call(context as ILoadOptionsFunctions, filter, page);
}

const namesOf = ({ results }: INodeListSearchResult): string[] => results.map(({ name }) => name);
const listed = (list: 'uploads' | 'batches', count: number): Promise<INodeListSearchResult> =>
  until(
    `${count} are listed as ended`,
    () => search(list),
    (found) => namesOf(found).filter((name) => !name.includes('RUNNING')).length === count,
  );
/** As the editor stores a choice. */
const chosen = (name: string, value: unknown): INodeParameters => ({
  [name]: { __rl: true, mode: 'list', value: String(value), cachedResultName: 'as shown' },
});

test('the list of uploads shows the newest first, by file and key, a page at a time, and finds a part of a name', async () => {
  for (const [file, ingestKey] of [
    ['kitchen.mp4', 'order-1'],
    ['garden.mp4', 'order-2'],
  ] as const) {
    const { path } = await on.writeFile(file, 0.01);
    expect((await on.run({ path, ingestKey })).error).toBeUndefined();
  }
  const all = await listed('uploads', 2);
  expect(namesOf(all)).toEqual(['garden.mp4, order-2 (COMPLETED)', 'kitchen.mp4, order-1 (COMPLETED)']);
  expect(all).not.toHaveProperty('paginationToken');
  expect(namesOf(await search('uploads', { page: '1' }))).toEqual(['kitchen.mp4, order-1 (COMPLETED)']);
  const found = await search('uploads', { filter: 'KITCH' });
  expect(namesOf(found)).toEqual(['kitchen.mp4, order-1 (COMPLETED)']);
  const { items, error } = await on.run({
    operation: 'get',
    ...chosen('workflowId', found.results[0]?.value),
  });
  expect(error).toBeUndefined();
  expect(items[0]?.json).toMatchObject({ ingestKey: 'order-1', status: 'COMPLETED' });
});

test('a list names what is wrong if the worker refuses the token', async () => {
  await expect(search('uploads', { token: 'wrong' })).rejects.toMatchObject({
    message: expect.stringMatching(/does not accept the token/),
    description: expect.stringMatching(/tokens create/),
  });
});

test('a batch is chosen by its ID, for its results and other operations on it', async () => {
  const { path } = await on.writeFile('row.mp4', 0.01);
  const batch = { resource: 'batch', folder: on.folder, host: HOST, ...columnsOf({ source: path }) };
  for (const batchId of ['harbour', 'apollo'])
    expect((await on.run({ ...batch, operation: 'start', batchId, wait: true })).error).toBeUndefined();
  await listed('batches', 2);
  const found = await search('batches', { filter: 'harb' });
  expect(namesOf(found)).toEqual(['harbour (COMPLETED)']);
  const id = chosen('batchId', found.results[0]?.value);
  for (const operation of ['get', 'wait', 'getResults', 'retryFailed']) {
    const { error, items } = await on.run({ resource: 'batch', operation, ...id });
    expect([operation, error]).toEqual([operation, undefined]);
    expect(items).toHaveLength(1);
  }
});

test('Get Many lists uploads and batches of one status, or with a text in their names', async () => {
  const names = async (resource: string, filters: INodeParameters): Promise<unknown[]> => {
    const { items, error } = await on.run({ resource, operation: 'getMany', returnAll: true, filters });
    expect(error).toBeUndefined();
    return items.map(({ json }) => json['batchId'] ?? json['name']);
  };
  expect(await names('upload', { status: 'COMPLETED', name: 'garden' })).toEqual(['garden.mp4']);
  expect(await names('upload', { status: 'RUNNING' })).toEqual([]);
  expect(await names('batch', { status: 'COMPLETED', name: 'apollo' })).toEqual(['apollo']);
  expect(await names('batch', { status: 'FAILED' })).toEqual([]);
});

test('the editor is offered the columns of a row, with the choices of the service', async () => {
  const { fields } = await new MediaService().methods.resourceMapping.batchColumns();
  const shown = fields.map(({ id, type, required, removed }) => [id, type, required, removed]);
  expect(shown.slice(0, 4)).toEqual([
    ['source', 'string', true, false],
    ['id', 'string', false, false],
    ['title', 'string', false, false],
    ['fileType', 'options', false, true],
  ]);
  expect(fields.find(({ id }) => id === 'resolution')?.options).toHaveLength(3);
});
