import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { NodeExecutionContext } from 'n8n-core/dist/execution-engine/node-execution-context/node-execution-context';
import type {
  IBinaryData,
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeParameters,
} from 'n8n-workflow';
import { afterTest } from '../support/after-test';
import { nextHeld } from '../support/held';
import { serveFile } from '../support/range-server';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { schemaOf, typesOf } from './support/output-schema';
import { storedText } from './support/run-workflow';

const on = useN8nUploadSetting();

const upload = (parameters: INodeParameters): INodeParameters => ({ operation: 'upload', ...parameters });
/** A file of `mib` MiB as the only item's binary data. */
const itemOf = async (
  name: string,
  mib: number,
  mode: 'filesystem' | 'default' = 'filesystem',
  about: Partial<IBinaryData> = { fileName: name },
): Promise<INodeExecutionData[]> => {
  const binary = await on.storeBinary(await on.writeFile(name, mib), mode, about);
  return [{ json: {}, binary: { data: binary } }];
};
/** Begins before all other tests, because it tries for most of a minute. */
let unreached: ReturnType<typeof on.run>;
beforeAll(async () => {
  const items = await itemOf('unreached.mp4', 5, 'default');
  const mediaServiceApi = { ...on.credential, uploadUrl: 'http://127.0.0.1:9' };
  unreached = on.run(upload({ source: 'binary' }), { items, credentials: { mediaServiceApi } });
});

describe('Upload > Upload without a credential of a worker', () => {
  test.each(['filesystem', 'default'] as const)(
    'sends binary data of mode %s byte for byte',
    async (mode) => {
      const file = await on.writeFile(`binary-${mode}.bin`, 17);
      const binary = await on.storeBinary(file, mode, { fileName: 'from n8n.mp4' });
      const { items, error } = await on.run(upload({ source: 'binary' }), {
        items: [{ json: {}, binary: { data: binary } }],
      });
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
    },
  );

  test('sends a file behind a URL, and n8n stores no signature of it', async () => {
    const file = await on.writeFile('remote.mp4', 7);
    const server = await serveFile(file.path, 'X-Amz-Signature=canary');
    afterTest(() => server.close());
    const { items, error, run } = await on.run(upload({ source: 'url', url: server.url }));
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
    const server = await serveFile(path);
    afterTest(() => server.close());
    const parameters = { source: 'url', url: server.url };
    const { error } = await on.run(upload(parameters));
    expect(error?.message).toContain('page.mp4 does not contain MP4: no Content-Type, 37 bytes, begins');
    expect(error?.description).toContain('turn on the option "Accept Any Content"');
    const accepted = await on.run(upload({ ...parameters, options: { acceptAnyContent: true } }));
    expect(accepted.items[0]?.json).toMatchObject({ status: 'COMPLETED', bytes: 37 });
  });

  test('reads no path of its disk, and says what to do', async () => {
    const { error } = await on.run(upload({ source: 'path', path: '/etc/passwd' }));
    expect(error).toMatchObject({
      message: 'n8n reads no path of its disk',
      description: expect.stringContaining('Run Upload In: Worker'),
    });
  });

  test.each([
    ['a connection is reset in mid-part', 'put-reset:1'],
    ['complete lost its answer', 'complete-lost:1'],
  ])('succeeds although %s', async (_what, fault) => {
    const before = on.simulator.seen();
    on.simulator.fault(fault);
    const [name = '', times] = fault.split(':');
    const { error } = await on.run(upload({ source: 'binary' }), {
      items: await itemOf('trouble.mp4', 17),
    });
    expect(error).toBeUndefined();
    expect(await on.storedSha256()).toBe((await on.writeFile('trouble.mp4', 17)).sha256);
    const after = on.simulator.seen();
    expect([after.starts - before.starts, after.completesAccepted - before.completesAccepted]).toEqual([
      1, 1,
    ]);
    expect(after.faults).toEqual({ armed: [], struck: { ...before.faults.struck, [name]: Number(times) } });
  });

  test('ends once the file is sent if it should not wait; Wait and Get then read the session without a worker', async () => {
    on.simulator.fault('processing-stuck');
    const { items, error } = await on.run(upload({ source: 'binary', wait: false }), {
      items: await itemOf('later.mp4', 5, 'default'),
    });
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
    const { error } = await on.run(upload({ source: 'binary' }), {
      items: await itemOf('failed.mp4', 5, 'default'),
    });
    expect(error?.message).toMatch(/could not process the upload: codec not supported/);
    const uploadId = on.simulator.seen().sessions.at(-1)?.uploadId ?? '';
    const waited = await on.run({ operation: 'wait', by: 'uploadId', uploadId });
    expect(waited.error?.message).toMatch(/codec not supported/);
    const unknown = await on.run({ operation: 'wait', by: 'uploadId', uploadId: 'nothing' });
    expect(unknown.error).toMatchObject({ httpCode: expect.stringMatching(/400|404/) });
  });

  test('has the most used fields first in its output, and no others unless Simplify is off', async () => {
    const items = await itemOf('simple.mp4', 5);
    const shown = async (simplify: boolean): Promise<IDataObject> =>
      (await on.run(upload({ source: 'binary', title: 'Simple', simplify }), { items })).items[0]?.json ?? {};
    const simple = await shown(true);
    expect(Object.keys(simple).slice(0, 4)).toEqual(['mediaId', 'uploadId', 'status', 'fileUrl']);
    expect(typesOf(simple)).toEqual(schemaOf('upload', 'upload'));
    const raw = Object.keys(await shown(false));
    const names = Object.keys(simple);
    expect(raw.slice(0, names.length)).toEqual(names);
    expect(raw).toEqual(expect.arrayContaining(['ingestKey', 'joined', 'parts', 'orphans']));
  });

  test('passes fields of the input on if it should, and its own fields win', async () => {
    const [item] = await itemOf('passed on.mp4', 1);
    const items = [{ ...item, json: { order: 4711, title: 'of the order' } }];
    const options = { includeOtherFields: true };
    const output = await on.run(upload({ source: 'binary', title: 'Passed on', simplify: true, options }), {
      items,
    });
    expect(output.items[0]?.json).toMatchObject({ order: 4711, title: 'Passed on', bytes: 1024 * 1024 });
    const without = await on.run(upload({ source: 'binary', simplify: true }), { items });
    expect(without.items[0]?.json).not.toHaveProperty('order');
  });

  test.each([
    ['={{ $binary.data }}', {}],
    ['_files.data', { binaryMode: 'combined' }],
    ['={{ $json._files.data }}', { binaryMode: 'combined' }],
  ] as const)('takes the file of %s as Input Binary Field (%j)', async (binaryPropertyName, more) => {
    const items = await itemOf('by expression.mp4', 1);
    const { error, ...output } = await on.run(upload({ source: 'binary', binaryPropertyName }), {
      ...{ items, ...more },
    });
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
    const { items, error } = await on.run(upload({ source: 'binary' }), {
      items: await itemOf('noted.mp4', 1),
    });
    expect(refused).toHaveBeenCalled();
    expect([error, items[0]?.json['status']]).toEqual([undefined, 'COMPLETED']);
  });

  test("uses a file name from the form instead of the file's own, also to guess the type", async () => {
    const how = {
      items: await itemOf('clip.bin', 5, 'filesystem', {
        fileName: 'clip.bin',
        mimeType: 'application/octet-stream',
      }),
    };
    const { items } = await on.run(upload({ source: 'binary', options: { fileName: 'Kitchen.mov' } }), how);
    expect(items[0]?.json).toMatchObject({ fileName: 'Kitchen.mov', fileType: 'MOV' });
    const refused = await on.run(upload({ source: 'binary', options: { fileName: 'a/b.mov' } }), how);
    expect(refused.error?.message).toBe('"File Name" can\'t contain a folder');
  });

  test("shows its progress in the editor's console of a manual run", async () => {
    const { messages } = await on.run(upload({ source: 'binary' }), {
      items: await itemOf('shown.mp4', 17),
      mode: 'manual',
    });
    const text = JSON.stringify(messages);
    expect(text).toMatch(/shown\.mp4: uploading 0 %, part 0 of 2/);
    expect(text).toMatch(/shown\.mp4: completed 100 %, part 2 of 2/);
  });
});

describe('stopping the execution', () => {
  test('ends the running PUTs, and says what it leaves behind', async () => {
    on.simulator.fault('hold:always:part=2,bytes=1000');
    const held = nextHeld(on.simulator);
    const stop = new AbortController();
    const running = on.run(upload({ source: 'binary' }), {
      items: await itemOf('stopped.mp4', 17, 'default'),
      signal: stop.signal,
    });
    await held();
    stop.abort();
    const { run } = await running;
    expect(run.status).toBe('canceled');
    const session = on.simulator.seen().sessions.at(-1);
    expect(storedText(run)).toContain(`The upload session ${session?.uploadId} and its parts stay`);
    expect(session?.status).not.toBe('COMPLETED');
  });
});

test('an upload URL that refuses connections ends the upload, with what to check', async () => {
  expect((await unreached).error).toMatchObject({
    message: expect.stringMatching(/127\.0\.0\.1:9: the connection was refused/),
    description: expect.stringMatching(/[Cc]heck the address/),
  });
});

describe('wrong or incomplete input:', () => {
  test.each(['filesystem', 'default'] as const)(
    "an empty binary of mode %s is refused before the start, with the field's name",
    async (mode) => {
      const { starts } = on.simulator.seen();
      const items = await itemOf('empty.mp4', 0, mode);
      const { error } = await on.run(upload({ source: 'binary' }), { items });
      expect(error?.message).toMatch(/binary field "data" is empty/);
      expect(on.simulator.seen().starts).toBe(starts);
    },
  );

  test('a binary without a name is uploaded: its type is guessed from the MIME type', async () => {
    const items = await itemOf('nameless.bin', 5, 'filesystem', { mimeType: 'video/quicktime' });
    const { items: output, error } = await on.run(upload({ source: 'binary' }), { items });
    expect([error, output[0]?.json]).toEqual([undefined, expect.objectContaining({ fileType: 'MOV' })]);
  });

  test.each([
    ['without any sign of its type', {}, /file type can't be guessed/],
    ['of text', { fileName: 'notes.txt' }, /^"notes.txt" is TXT, which the service does not accept/],
  ])('a binary %s is refused, with what to do', async (_what, about, message) => {
    const { error } = await on.run(upload({ source: 'binary' }), {
      items: await itemOf('what.bin', 5, 'default', { mimeType: 'application/octet-stream', ...about }),
    });
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      description: expect.stringMatching(
        /If the file is one of MP4.*, give that in Media Fields > File Type/,
      ),
    });
  });

  test('when one item fails halfway, the others keep their uploads', async () => {
    const good = await on.storeBinary(await on.writeFile('good.mp4', 5), 'filesystem', {
      fileName: 'good.mp4',
    });
    const { items } = await on.run(upload({ source: 'binary' }), {
      items: [{ json: {}, binary: { data: good } }, { json: {} }, { json: {}, binary: { data: good } }],
      onError: 'continueRegularOutput',
    });
    expect(items.map(({ json }) => json['status'] ?? json['error'])).toEqual([
      'COMPLETED',
      expect.stringMatching(/binary/),
      'COMPLETED',
    ]);
    expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
  });
});
