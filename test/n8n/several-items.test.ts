import type { INodeExecutionData } from 'n8n-workflow';
import { processingHeld } from '../support/held';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { useUploadSetting } from './support/upload-setting';

const inN8n = useN8nUploadSetting();
const onWorker = useUploadSetting();

const NAMES = ['one.mp4', 'two.mp4', 'three.mp4', 'four.mp4', 'five.mp4', 'six.mp4'];
const itemsInN8n = (): Promise<INodeExecutionData[]> =>
  Promise.all(NAMES.map(async (name) => inN8n.itemOf(await inN8n.writeFile(name, 1))));

describe('items that wait for processing', () => {
  test('inside n8n are processed together, and come out in their order', async () => {
    const allHeld = processingHeld(inN8n.simulator, NAMES.length);
    const running = inN8n.run({}, { items: await itemsInN8n() });
    await allHeld;
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
    const allHeld = processingHeld(onWorker.simulator, NAMES.length);
    const running = onWorker.run({ path: '={{ $json.path }}' }, { items: paths });
    await allHeld;
    onWorker.simulator.release();
    const { items } = await running;
    expect(items.map(({ json }) => json['fileName'])).toEqual(NAMES);
    const waited = await onWorker.run({ operation: 'wait' }, { items });
    expect(waited.items.map(({ json }) => json['status'])).toEqual(NAMES.map(() => 'COMPLETED'));
  });
});

test('an item that fails stops the items after it, and the error keeps the ids of those that were uploaded', async () => {
  const items = await itemsInN8n();
  const before = inN8n.simulator.seen().sessions.length;
  inN8n.simulator.fault('hold:1:bytes=1000');
  const held = inN8n.simulator.waitFor(({ event, operation }) => event === 'held' && operation === 'put');
  const running = inN8n.run(
    {
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
