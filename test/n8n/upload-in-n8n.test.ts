import { writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { NodeExecutionContext } from 'n8n-core/dist/execution-engine/node-execution-context/node-execution-context';
import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { n8nClock } from '../../n8n/n8n-clock';
import { afterTest } from '../support/after-test';
import { nextHeld } from '../support/held';
import { serveFile } from '../support/range-server';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { schemaOf, typesOf } from './support/output-schema';
import { storedText } from './support/run-workflow';

const on = useN8nUploadSetting();

/** The only item, with a file of `mib` MiB. */
const itemOf = async (name: string, mib = 1, about?: Partial<IBinaryData>): Promise<INodeExecutionData[]> => [
  await on.itemOf(await on.writeFile(name, mib), about),
];

describe('Upload > Upload without a credential of a worker', () => {
  test.each(['filesystem', 'default'] as const)(
    'sends binary data of mode %s byte for byte',
    async (mode) => {
      const file = await on.writeFile(`binary-${mode}.bin`, 17);
      const item = await on.itemOf(file, { fileName: 'from n8n.mp4' }, mode);
      const { items, error } = await on.run({}, { items: [item] });
      expect(error).toBeUndefined();
      expect(items[0]?.json).toMatchObject({
        status: 'COMPLETED',
        fileName: 'from n8n.mp4',
        fileType: 'MP4',
        bytes: 17 * 1024 * 1024,
        retries: 0,
      });
      expect(items[0]?.pairedItem).toEqual({ item: 0 });
      expect(await on.storedSha256()).toBe(file.sha256);
      expect(on.simulator.seen().bearerToStorage).toEqual([]);
    },
  );

  test('sends a file behind a URL, and n8n stores no signature of it', async () => {
    const file = await on.writeFile('remote.mp4', 7);
    const server = await serveFile(file.path, 'X-Amz-Signature=canary');
    afterTest(() => server.close());
    const { items, error, run } = await on.run({ source: 'url', url: server.url });
    expect(error).toBeUndefined();
    expect(new Set(server.asked)).toEqual(new Set(['/files/remote.mp4?X-Amz-Signature=canary']));
    expect(items[0]?.json).toMatchObject({ status: 'COMPLETED', fileName: 'remote.mp4' });
    expect(await on.storedSha256()).toBe(file.sha256);
    expect(storedText(run)).toContain('remote.mp4');
    for (const text of [JSON.stringify(items), storedText(run)])
      expect(text).not.toMatch(/canary|X-Amz-Signature/);
  });

  test('refuses a web page in place of a video, unless Accept Any Content is on', async () => {
    const { path } = await on.writeFile('page.mp4', 1);
    await writeFile(path, '<!doctype html><title>Sign in</title>');
    const { url } = await on.serveFile(path);
    const parameters = { source: 'url', url };
    const { error } = await on.run(parameters);
    expect(error?.message).toContain('page.mp4 does not contain MP4: no Content-Type, 37 bytes, begins');
    expect(error?.description).toContain('turn on the option "Accept Any Content"');
    const accepted = await on.run({ ...parameters, options: { acceptAnyContent: true } });
    expect(accepted.items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 37 });
  });

  test('reads no path of its disk, and says what to do', async () => {
    const { error } = await on.run({ source: 'path', path: '/etc/passwd' });
    expect(error).toMatchObject({
      message: 'n8n reads no path of its disk',
      description: expect.stringContaining('Run Upload In: Worker'),
    });
  });

  test('succeeds although a connection is reset in mid-part', async () => {
    const { starts, completesAccepted, faults } = on.simulator.seen();
    on.simulator.fault('put-reset:1');
    const file = await on.writeFile('trouble.mp4', 17);
    const { error } = await on.run({}, { items: [await on.itemOf(file)] });
    expect(error).toBeUndefined();
    expect(await on.storedSha256()).toBe(file.sha256);
    expect(on.simulator.seen()).toMatchObject({
      ...{ starts: starts + 1, completesAccepted: completesAccepted + 1 },
      faults: { armed: [], struck: { ...faults.struck, 'put-reset': 1 } },
    });
  });

  test('ends once the file is sent if it should not wait; Wait and Get then read the session without a worker', async () => {
    on.simulator.fault('processing-stuck');
    const { items, error } = await on.run({ wait: false }, { items: await itemOf('later.mp4') });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({ status: 'PENDING_COMPLETE', uploadId: expect.any(String) });
    const got = await on.run({ operation: 'get', by: 'uploadId' }, { items });
    expect(got.items[0]?.json).toMatchObject({ status: 'PENDING_COMPLETE' });
    on.simulator.release();
    const waited = await on.run({ operation: 'wait', by: 'uploadId' }, { items });
    expect(waited.items[0]?.json).toMatchObject({
      status: 'COMPLETED',
      uploadId: items[0]?.json['uploadId'],
    });
  });

  test('ends with the reason in Wait if the session FAILED, and reports an unknown session', async () => {
    on.simulator.fault('processing-failed:codec not supported');
    const { error } = await on.run({}, { items: await itemOf('failed.mp4') });
    expect(error?.message).toMatch(/could not process the upload: codec not supported/);
    const uploadId = on.simulator.seen().sessions.at(-1)?.uploadId ?? '';
    const waited = await on.run({ operation: 'wait', by: 'uploadId', uploadId });
    expect(waited.error?.message).toMatch(/codec not supported/);
    const unknown = await on.run({ operation: 'wait', by: 'uploadId', uploadId: 'nothing' });
    expect(unknown.error).toMatchObject({ httpCode: expect.stringMatching(/400|404/) });
  });

  test('has the most used fields first in its output, and no others unless Simplify is off', async () => {
    const items = await itemOf('simple.mp4');
    const simple = (await on.run({ title: 'Simple', simplify: true }, { items })).items[0]?.json ?? {};
    const names = Object.keys(simple);
    expect(names.slice(0, 4)).toEqual(['mediaId', 'uploadId', 'status', 'fileUrl']);
    expect(typesOf(simple)).toEqual(schemaOf('upload', 'upload'));
    const raw = Object.keys((await on.run({ title: 'Simple' }, { items })).items[0]?.json ?? {});
    expect(raw.slice(0, names.length)).toEqual(names);
    expect(raw).toEqual(expect.arrayContaining(['ingestKey', 'joined', 'parts', 'orphans']));
  });

  test('passes fields of the input on if it should, and its own fields win', async () => {
    const [item] = await itemOf('passed on.mp4');
    const items = [{ ...item, json: { order: 4711, title: 'of the order' } }];
    const options = { includeOtherFields: true };
    const output = await on.run({ title: 'Passed on', options }, { items });
    expect(output.items[0]?.json).toMatchObject({ order: 4711, title: 'Passed on', bytes: 1024 * 1024 });
    const without = await on.run({}, { items });
    expect(without.items[0]?.json).not.toHaveProperty('order');
  });

  test.each([
    ['={{ $binary.data }}', {}],
    ['_files.data', { binaryMode: 'combined' }],
    ['={{ $json._files.data }}', { binaryMode: 'combined' }],
  ] as const)('takes the file of %s as Input Binary Field (%j)', async (binaryPropertyName, more) => {
    const items = await itemOf('by expression.mp4');
    const { error, ...output } = await on.run({ binaryPropertyName }, { items, ...more });
    expect(error).toBeUndefined();
    expect(output.items[0]?.json).toMatchObject({ status: 'COMPLETED', fileName: 'by expression.mp4' });
  });

  test('succeeds although n8n refuses the highlighted data of its execution', async () => {
    const refused = jest.spyOn(NodeExecutionContext.prototype, 'customData', 'get').mockReturnValue({
      ...({} as IExecuteFunctions['customData']),
      set() {
        throw new Error('Custom data key over 50 characters long');
      },
    });
    afterTest(() => refused.mockRestore());
    const { items, error } = await on.run({}, { items: await itemOf('noted.mp4') });
    expect(refused).toHaveBeenCalled();
    expect([error, items[0]?.json['status']]).toEqual([undefined, 'COMPLETED']);
  });

  test("uses a file name from the form instead of the file's own, also to guess the type", async () => {
    const about = { fileName: 'clip.bin', mimeType: 'application/octet-stream' };
    const how = { items: await itemOf('clip.bin', 1, about) };
    const { items } = await on.run({ options: { fileName: 'Kitchen.mov' } }, how);
    expect(items[0]?.json).toMatchObject({ fileName: 'Kitchen.mov', fileType: 'MOV' });
    const refused = await on.run({ options: { fileName: 'a/b.mov' } }, how);
    expect(refused.error?.message).toBe('"File Name" can\'t contain a folder');
  });

  test("shows its progress in the editor's console of a manual run", async () => {
    const { messages } = await on.run({}, { items: await itemOf('shown.mp4', 17), mode: 'manual' });
    const text = JSON.stringify(messages);
    expect(text).toMatch(/shown\.mp4: uploading 0 %, part 0 of 2/);
    expect(text).toMatch(/shown\.mp4: completed 100 %, part 2 of 2/);
  });
});

test('storage that refuses a part ends the upload, and n8n stores no signature of its URL', async () => {
  on.simulator.fault('put-403-signature:always');
  const { run } = await on.run({}, { items: await itemOf('refused.mp4') });
  on.simulator.clearFaults();
  expect(storedText(run)).toContain('SignatureDoesNotMatch');
  expect(storedText(run)).not.toMatch(/X-Amz-(Signature|Credential)/);
});

test('stopping the execution ends the running PUTs, and says what it leaves behind', async () => {
  on.simulator.fault('hold:always:part=2,bytes=1000');
  const held = nextHeld(on.simulator);
  const stop = new AbortController();
  const running = on.run({}, { items: await itemOf('stopped.mp4', 17), signal: stop.signal });
  await held();
  stop.abort();
  const { run } = await running;
  expect(run.status).toBe('canceled');
  const session = on.simulator.seen().sessions.at(-1);
  expect(storedText(run)).toContain(`The upload session ${session?.uploadId} and its parts stay`);
  expect(session?.status).not.toBe('COMPLETED');
});

test('an upload URL that refuses connections ends the upload within a minute, with what to check', async () => {
  const from = Date.now();
  let now = from;
  const clock = jest.spyOn(n8nClock, 'now').mockImplementation(() => now);
  const pauses = jest.spyOn(n8nClock, 'sleep').mockImplementation(async (ms) => {
    now += ms;
    await setImmediate();
  });
  afterTest(() => {
    clock.mockRestore();
    pauses.mockRestore();
  });
  const mediaServiceApi = { ...on.credential, uploadUrl: 'http://127.0.0.1:9' };
  const items = await itemOf('unreached.mp4');
  expect((await on.run({}, { items, credentials: { mediaServiceApi } })).error).toMatchObject({
    message: expect.stringMatching(/127\.0\.0\.1:9: the connection was refused/),
    description: expect.stringMatching(/[Cc]heck the address/),
  });
  expect(pauses).toHaveBeenCalled();
  expect(now - from).toBeLessThanOrEqual(60_000);
});

describe('wrong or incomplete input:', () => {
  test.each(['filesystem', 'default'] as const)(
    "an empty binary of mode %s is refused before the start, with the field's name",
    async (mode) => {
      const { starts } = on.simulator.seen();
      const item = await on.itemOf(await on.writeFile('empty.mp4', 0), {}, mode);
      const { error } = await on.run({}, { items: [item] });
      expect(error?.message).toMatch(/binary field "data" is empty/);
      expect(on.simulator.seen().starts).toBe(starts);
    },
  );

  test('a binary without a name is uploaded: its type is guessed from the MIME type', async () => {
    const items = await itemOf('nameless.bin', 1, { mimeType: 'video/quicktime' });
    const { items: output, error } = await on.run({}, { items });
    expect([error, output[0]?.json]).toEqual([undefined, expect.objectContaining({ fileType: 'MOV' })]);
  });

  test.each([
    ['without any sign of its type', {}, /file type can't be guessed/],
    ['of text', { fileName: 'notes.txt' }, /^"notes.txt" is TXT, which the service does not accept/],
  ])('a binary %s is refused, with what to do', async (_what, about, message) => {
    const items = await itemOf('what.bin', 1, { mimeType: 'application/octet-stream', ...about });
    const { error } = await on.run({}, { items });
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      description: expect.stringMatching(
        /If the file is one of MP4.*, give that in Media Fields > File Type/,
      ),
    });
  });
});
