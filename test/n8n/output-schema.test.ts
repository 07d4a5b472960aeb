import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { RESOURCES } from '../../nodes/MediaService/resources';
import { until } from '../support/until';
import { asText } from './support/as-text';
import { useBinaryData } from './support/binary-data';
import { schemaOf, typesOf } from './support/output-schema';
import { columnsOf, HOST, useUploadSetting } from './support/upload-setting';

const on = useUploadSetting();
const WHOLE_PERIOD = { period: 'custom', from: '-60d', to: 'now' };
let path: string;
let mediaId: string;
let ended: string;

const seen = (): INodeParameters => ({ path, simplify: true, title: 'Seen', ingestKey: 'seen' });
const batch = (batchId: string): INodeParameters => ({
  ...{ batchId, folder: on.folder, host: HOST, ...columnsOf({ source: path, id: batchId }) },
});

/** They run until the end of the test. */
async function runningUpload(): Promise<INodeParameters> {
  on.simulator.fault('hold:always:part=1');
  const more = { ...seen(), ingestKey: randomUUID(), wait: false };
  return { workflowId: asText((await run('upload', 'upload', more))['workflowId']) };
}
async function runningBatch(): Promise<INodeParameters> {
  on.simulator.fault('hold:always:part=1');
  const batchId = randomUUID();
  await run('batch', 'start', { ...batch(batchId), wait: false });
  return { batchId };
}

type Row = readonly [parameters: () => INodeParameters | Promise<INodeParameters>, isExact: boolean];

/** Parameters of each operation, and whether its output has these fields only. */
const RUNS: Readonly<Record<string, Row>> = {
  'media search': [() => ({ limit: 1 }), false],
  'media get': [() => ({ mediaId }), false],
  'webhookDelivery getMany': [() => ({ ...WHOLE_PERIOD, limit: 1 }), false],
  'webhookDelivery export': [() => WHOLE_PERIOD, true],
  'webhookDelivery report': [() => WHOLE_PERIOD, true],
  'upload upload': [seen, false],
  'upload get': [() => ({ workflowId: ended }), false],
  'upload getMany': [() => ({ filters: { status: 'COMPLETED' } }), false],
  'upload wait': [() => ({ workflowId: ended }), false],
  'upload pause': [runningUpload, true],
  'upload resume': [runningUpload, true],
  'upload cancel': [runningUpload, true],
  'batch start': [() => ({ ...batch('ended'), wait: true }), true],
  'batch get': [() => ({ batchId: 'ended' }), true],
  'batch getMany': [() => ({ filters: { status: 'COMPLETED' } }), true],
  'batch getResults': [() => ({ batchId: 'ended' }), false],
  'batch wait': [() => ({ batchId: 'ended' }), true],
  'batch pause': [runningBatch, true],
  'batch resume': [runningBatch, true],
  'batch cancel': [runningBatch, true],
  'batch retryFailed': [() => ({ batchId: 'ended', wait: true }), true],
};

const run = async (
  resource: string,
  operation: string,
  parameters: INodeParameters,
): Promise<IDataObject> => {
  const { items, error } = await on.run({ resource, operation, ...parameters });
  expect(error).toBeUndefined();
  return items[0]?.json ?? {};
};

beforeAll(async () => {
  await useBinaryData(on.folder);
  ({ path } = await on.writeFile('seen.mp4', 1));
  mediaId = asText((await run('media', 'search', { limit: 1 }))['id']);
  ended = asText((await run('upload', 'upload', { ...seen(), simplify: false }))['workflowId']);
  await run('batch', 'start', { ...batch('ended'), wait: true });
  // Temporal's index is updated late.
  for (const resource of ['upload', 'batch'])
    await until(`the ended ${resource} is listed`, async () => {
      const { items } = await on.run({ resource, operation: 'getMany', filters: { status: 'COMPLETED' } });
      return items[0];
    });
});

test.each(
  RESOURCES.flatMap(({ option, operations }) => operations.map((one) => [option.value, one.option.value])),
)('%s > %s shows its fields before the first run', async (resource, operation) => {
  const [where, what] = [String(resource), String(operation)];
  const [parameters, isExact] = RUNS[`${where} ${what}`] ?? [seen, true];
  const output = typesOf(await run(where, what, await parameters()));
  const shown = Object.entries(schemaOf(where, what) ?? {});
  expect(shown.length).toBeGreaterThan(0);
  // Some fields may be null.
  for (const [name, types] of shown)
    expect([name, [types].flat()]).toEqual([name, expect.arrayContaining([output[name]])]);
  if (isExact) expect(Object.keys(output).sort()).toEqual(shown.map(([name]) => name).sort());
});
