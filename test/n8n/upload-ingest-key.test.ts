import type { INodeExecutionData } from 'n8n-workflow';
import type { SeenSession } from '../support/upload-fixture';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { hintTexts } from './support/run-workflow';

// A search shows new media at once.
const on = useN8nUploadSetting({ searchLagMs: 0 });
let startsBefore = 0;
beforeEach(() => {
  startsBefore = on.simulator.seen().starts;
});

const starts = (): number => on.simulator.seen().starts - startsBefore;
const newest = (): SeenSession | undefined => on.simulator.seen().sessions.at(-1);
const searches = (): number => on.simulator.events().filter(({ event }) => event === 'searched').length;
const itemOf = async (name: string): Promise<INodeExecutionData> => on.itemOf(await on.writeFile(name, 1));

test('the second run under a key returns the finished media and sends nothing; "Force New Upload" makes a new one', async () => {
  const item = await itemOf('ended.mp4');
  const parameters = { ingestKey: 'order-1', title: 'Harbour' };
  const first = await on.run(parameters, { items: [item] });
  expect(first.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
  expect(first.items[0]?.json).not.toHaveProperty('warning');
  const { mediaId, fileUrl } = first.items[0]?.json ?? {};
  const { sessions } = on.simulator.seen();
  const second = await on.run(parameters, { items: [item] });
  expect(second.error).toBeUndefined();
  expect(second.items).toEqual([
    {
      json: { mediaId, status: 'COMPLETED', fileUrl, title: 'Harbour', ingestKey: 'order-1', joined: true },
      pairedItem: { item: 0 },
    },
  ]);
  expect(hintTexts(second)).toEqual([
    `Media ${sessions.at(-1)?.mediaId} was uploaded by an earlier run under this ingest key; nothing was sent again.`,
  ]);
  expect([starts(), on.simulator.seen().sessions]).toEqual([1, sessions]);
  const again = await on.run({ ingestKey: 'order-1', options: { again: true } }, { items: [item] });
  expect(again.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
  expect(again.items[0]?.json['mediaId']).not.toBe(mediaId);
  expect(starts()).toBe(2);
  on.simulator.fault('start-lost:1');
  const lost = await on.run({ ingestKey: 'order-1', options: { again: true } }, { items: [item] });
  const left = on.simulator.seen().sessions.at(-2)?.mediaId;
  expect(lost.items[0]?.json['orphans']).toEqual([expect.objectContaining({ mediaId: left })]);
});

test('a run after a lost answer of start uploads the file, and its output says what may be left', async () => {
  on.simulator.fault('start-lost:1');
  const item = await itemOf('lost.mp4');
  const stop = new AbortController();
  const last = on.simulator.events().at(-1)?.seq ?? 0;
  const running = on.run({ ingestKey: 'order-2' }, { items: [item], signal: stop.signal });
  await on.simulator.waitFor(({ event, seq }) => event === 'started' && seq > last);
  stop.abort();
  expect((await running).run.status).toBe('canceled');
  const left = newest();
  const second = await on.run({ ingestKey: 'order-2' }, { items: [item] });
  expect(second.error).toBeUndefined();
  const warning = `An earlier run under this ingest key left media ${left?.mediaId}, which is not finished: an upload session may be left at the service, and this run does not continue it.`;
  expect(second.items[0]?.json).toMatchObject({
    status: 'COMPLETED',
    joined: false,
    warning: expect.stringContaining(warning),
  });
  expect(second.items[0]?.json['mediaId']).not.toBe(left?.mediaId);
  expect(hintTexts(second)).toEqual([expect.stringContaining(warning)]);
  expect(starts()).toBe(2);
});

test('the error of a run that fails says what an earlier one may have left, too', async () => {
  on.simulator.fault('processing-failed:codec not supported');
  const item = await itemOf('failing.mp4');
  const first = await on.run({ ingestKey: 'order-3' }, { items: [item] });
  expect(first.error?.description).not.toContain('earlier run');
  const left = newest()?.mediaId;
  on.simulator.fault('processing-failed:codec not supported');
  const second = await on.run({ ingestKey: 'order-3' }, { items: [item] });
  expect(second.error).toMatchObject({
    message: expect.stringContaining('codec not supported'),
    description: expect.stringContaining(`left media ${left}, which is not finished`),
  });
});

test('a run that does not wait says what may be left, and a later run returns what has ended by then', async () => {
  on.simulator.fault('processing-stuck');
  const item = await itemOf('slow.mp4');
  const sent = { ingestKey: 'order-4', wait: false };
  const first = await on.run(sent, { items: [item] });
  const { mediaId, ...output } = first.items[0]?.json ?? {};
  expect(output).toMatchObject({ status: 'PENDING_COMPLETE', ingestKey: 'order-4' });
  expect(output).not.toHaveProperty('warning');
  const warning = `left media ${newest()?.mediaId}, which is not finished`;
  on.simulator.fault('processing-stuck');
  const second = await on.run(sent, { items: [item] });
  expect(second.items[0]?.json['warning']).toContain(warning);
  const last = on.simulator.events().at(-1)?.seq ?? 0;
  on.simulator.release();
  await on.simulator.waitFor(
    ({ event, seq, ...facts }) => event === 'session-ended' && seq > last && facts.mediaId === mediaId,
  );
  const third = await on.run(sent, { items: [item] });
  expect(third.items[0]?.json).toMatchObject({ joined: true, status: 'COMPLETED', mediaId });
  // There is no session to wait for, and nothing that fails.
  const waited = await on.run({ operation: 'wait', by: 'uploadId' }, { items: third.items });
  expect([waited.error, waited.items]).toEqual([undefined, third.items]);
  expect(starts()).toBe(2);
});

test("n8n's Retry On Fail does not upload the good items again, also without a key of their own", async () => {
  const items = [await itemOf('good.mp4'), { json: {} }];
  const { error } = await on.run({ ingestKey: '' }, { items, retryOnFail: true });
  expect(error?.message).toMatch(/binary/);
  expect(starts()).toBe(1);
});

test('an item without a key is not searched for', async () => {
  const before = searches();
  const { items } = await on.run({ ingestKey: '' }, { items: [await itemOf('no-key.mp4')] });
  expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
  expect(searches()).toBe(before);
});

test("a key that can't be searched for does not stop the upload, and the output says so", async () => {
  const credentials = { mediaServiceApi: { ...on.credential, useIngestTag: false } };
  const { items } = await on.run({ ingestKey: 'order-5' }, { items: [await itemOf('off.mp4')], credentials });
  expect(items[0]?.json).toMatchObject({
    status: 'COMPLETED',
    warning: expect.stringMatching(/not known whether an earlier run .*the ingest tag is turned off/),
  });
});
