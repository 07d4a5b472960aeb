import { describe, expect, test } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import type { N8nUploadSetting, WrittenFile } from './support/n8n-upload-setting';
import { HOST, useUploadSetting } from './support/upload-setting';

const inN8n = useN8nUploadSetting();
const onWorker = useUploadSetting();

const NAMES = ['one.mp4', 'two.mp4', 'three.mp4', 'four.mp4', 'five.mp4', 'six.mp4'];
const upload: INodeParameters = { operation: 'upload', simplify: true };

const itemsOf = async (on: N8nUploadSetting): Promise<INodeExecutionData[]> => {
  const stored = async (file: WrittenFile, fileName: string): Promise<INodeExecutionData> => ({
    json: {},
    binary: { data: await on.storeBinary(file, 'filesystem', { fileName }) },
  });
  return Promise.all(NAMES.map(async (name) => stored(await on.writeFile(name, 1), name)));
};
const stuck = ({ event, operation }: { event: string; operation?: string }): boolean =>
  event === 'held' && operation === 'processing';

/** Resolves once the service processes this many files at once. */
async function processedAtOnce({ simulator }: Pick<N8nUploadSetting, 'simulator'>): Promise<number> {
  let held = 0;
  await simulator.waitFor((event) => stuck(event) && (held += 1) === NAMES.length);
  return held;
}

describe('items that wait for processing', () => {
  test('inside n8n are processed together, and come out in their order', async () => {
    inN8n.simulator.fault(`processing-stuck:${NAMES.length}`);
    const running = inN8n.run({ ...upload, source: 'binary' }, { items: await itemsOf(inN8n) });
    expect(await processedAtOnce(inN8n)).toBe(NAMES.length);
    inN8n.simulator.release();
    const { items, error } = await running;
    expect(error).toBeUndefined();
    expect(items.map(({ json, pairedItem }) => [json['fileName'], json['status'], pairedItem])).toEqual(
      NAMES.map((name, item) => [name, 'COMPLETED', { item }]),
    );
  });

  test('on a worker are processed together, and Wait awaits them together', async () => {
    for (const name of NAMES) await onWorker.writeFile(name, 1);
    const paths = NAMES.map((name) => ({ json: { path: `${onWorker.folder}/${name}` } }));
    const byPath = { ...upload, source: 'path', path: '={{ $json.path }}', host: HOST };
    onWorker.simulator.fault(`processing-stuck:${NAMES.length}`);
    const running = onWorker.run(byPath, { items: paths });
    expect(await processedAtOnce(onWorker)).toBe(NAMES.length);
    onWorker.simulator.release();
    const { items } = await running;
    expect(items.map(({ json }) => json['fileName'])).toEqual(NAMES);
    const waited = await onWorker.run({ operation: 'wait' }, { items });
    expect(waited.items.map(({ json }) => json['status'])).toEqual(NAMES.map(() => 'COMPLETED'));
  });
});

test('an item that fails stops the items after it, and the error keeps the ids of those that were uploaded', async () => {
  const items = await itemsOf(inN8n);
  const before = inN8n.simulator.seen().sessions.length;
  inN8n.simulator.fault('hold:1:bytes=1000');
  const held = inN8n.simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'put');
  const running = inN8n.run(
    {
      ...upload,
      source: 'binary',
      binaryPropertyName: '={{ $itemIndex === 1 ? "gone" : "data" }}',
      title: '={{ $itemIndex }}',
    },
    { items },
  );
  await held;
  inN8n.simulator.release();
  const { error } = await running;
  expect(error?.message).toContain('gone');
  // The service may see the starts of overlapping items in any order; the error names them in the items' order.
  const uploaded = inN8n.simulator
    .seen()
    .sessions.slice(before)
    .sort((one, other) => Number(one.title) - Number(other.title));
  expect(uploaded.map(({ status }) => status)).toEqual(uploaded.map(() => 'COMPLETED'));
  expect(error?.description).toContain(
    `Other items were uploaded or started: ${uploaded.map(({ mediaId }) => mediaId).join(', ')}.`,
  );
  expect(uploaded.length).toBeLessThan(NAMES.length - 1);
});
