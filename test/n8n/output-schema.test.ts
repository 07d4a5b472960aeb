import { beforeAll, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/MediaService/resources';
import { nextHeld } from '../support/held';
import { asText } from './support/as-text';
import { useBinaryData } from './support/run-workflow';
import { schemaOf, typesOf } from './support/output-schema';
import { columnsOf, HOST, useUploadSetting } from './support/upload-setting';
import { until } from '../support/until';

const on = useUploadSetting();
let path: string;
beforeAll(async () => {
  await useBinaryData(on.folder);
  ({ path } = await on.writeFile('seen.mp4', 6));
  await run('upload', 'upload', {
    source: 'path',
    path,
    host: HOST,
    title: 'Seen',
    ingestKey: 'seen',
  });
  await listedAsEnded('upload');
});

const run = async (
  resource: string,
  operation: string,
  parameters: INodeParameters = {},
): Promise<Record<string, unknown>> => {
  const { items, error } = await on.run({ resource, operation, ...parameters });
  expect(error).toBeUndefined();
  const [item] = items;
  if (item === undefined) throw new Error(`${resource} > ${operation} gave no item.`);
  return typesOf(item.json);
};

/** Resolves once Temporal's index, which is updated late, shows the newest one as ended. */
const listedAsEnded = async (resource: string): Promise<void> => {
  const newest = async (): Promise<unknown> =>
    (await on.run({ resource, operation: 'getMany' })).items[0]?.json['endedAt'];
  await until(`the newest ${resource} is listed as ended`, newest);
};

const workflowId = async (): Promise<INodeParameters> => {
  const { items } = await on.run({ operation: 'getMany' });
  return { workflowId: items[0]?.json['workflowId'] as string };
};

test.each(
  RESOURCES.flatMap(({ option, operations }) => operations.map((one) => [option.value, one.option.value])),
)('%s > %s shows its fields before the first run', (resource, operation) => {
  expect(Object.keys(schemaOf(String(resource), String(operation)) ?? {}).length).toBeGreaterThan(0);
});

test('Media > Search and Get, and Webhook Delivery > Get Many show fields that are in the output', async () => {
  const [media] = (await on.run({ resource: 'media', operation: 'search', limit: 1 })).items;
  for (const [resource, operation, parameters] of [
    ['media', 'search', { limit: 1 }],
    ['media', 'get', { mediaId: asText(media?.json['id']) }],
    ['webhookDelivery', 'getMany', { period: 'custom', from: '-60d', limit: 1 }],
  ] as const)
    expect(await run(resource, operation, parameters)).toMatchObject(schemaOf(resource, operation) ?? {});
});

test('Export and Upload > Upload, Get, Get Many, Wait show fields that are in the output', async () => {
  const shown = schemaOf('webhookDelivery', 'export');
  expect(await run('webhookDelivery', 'export', { period: 'custom', from: '-60d' })).toEqual(shown);
  const again = { source: 'path', path, host: HOST, title: 'Seen', ingestKey: 'seen' };
  expect(await run('upload', 'upload', again)).toMatchObject(schemaOf('upload', 'upload') ?? {});
  expect(await run('upload', 'wait', await workflowId())).toMatchObject(schemaOf('upload', 'wait') ?? {});
  expect(await run('upload', 'get', await workflowId())).toMatchObject(schemaOf('upload', 'get') ?? {});
  expect(await run('upload', 'getMany')).toMatchObject(schemaOf('upload', 'getMany') ?? {});
});

test('Upload > Pause, Resume and Cancel show exactly the fields of the output', async () => {
  on.simulator.fault('hold:always:part=1');
  const held = nextHeld(on.simulator);
  const { items } = await on.run({ operation: 'upload', source: 'path', path, host: HOST, wait: false });
  await held();
  const running = { workflowId: asText(items[0]?.json['workflowId']) };
  for (const operation of ['pause', 'resume', 'cancel'])
    expect([operation, await run('upload', operation, running)]).toEqual([
      operation,
      schemaOf('upload', operation),
    ]);
});

test('Batch operations show the fields of the output', async () => {
  const first = await on.writeFile('first.mp4', 0.01);
  const ended = { batchId: 'shown', folder: on.folder, host: HOST, ...columnsOf({ source: first.path }) };
  const shows = async (operation: string, parameters: INodeParameters): Promise<void> =>
    expect([operation, await run('batch', operation, parameters)]).toEqual([
      operation,
      schemaOf('batch', operation),
    ]);
  await shows('start', { ...ended, wait: true });
  await shows('get', { batchId: 'shown' });
  await listedAsEnded('batch');
  await shows('getMany', {});
  await shows('wait', { batchId: 'shown' });
  expect(await run('batch', 'getResults', { batchId: 'shown' })).toMatchObject(
    schemaOf('batch', 'getResults') ?? {},
  );
  await shows('retryFailed', { batchId: 'shown', wait: true });
  on.simulator.fault('processing-stuck');
  const held = nextHeld(on.simulator);
  await run('batch', 'start', {
    ...{ ...ended, batchId: 'controlled', wait: false },
    ...columnsOf({ source: first.path, id: 'other' }),
  });
  await held();
  for (const operation of ['pause', 'resume', 'cancel']) await shows(operation, { batchId: 'controlled' });
});

test('Report shows exactly the fields of the output', async () => {
  const wholePeriod = { period: 'custom', from: '-60d', to: 'now' };
  const shown = schemaOf('webhookDelivery', 'report') ?? {};
  const output = await run('webhookDelivery', 'report', wholePeriod);
  expect(Object.keys(output).sort()).toEqual(Object.keys(shown).sort());
  // Some fields may be null.
  for (const [name, type] of Object.entries(output))
    expect([name, [shown[name]].flat()]).toEqual([name, expect.arrayContaining([type])]);
});
