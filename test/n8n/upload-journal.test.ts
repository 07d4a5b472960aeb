import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { useN8nUploadSetting } from './support/n8n-upload-setting';
import { hintTexts } from './support/run-workflow';
import type { runNode } from './support/run-workflow';

const on = useN8nUploadSetting();
let journals: string;
beforeAll(() => {
  process.env['MEDIA_SERVICE_SPOOL_DIR'] = join(on.folder, 'spool');
});
beforeEach(() => {
  const state = join(on.folder, `state-${String(Math.random()).slice(2)}`);
  process.env['MEDIA_SERVICE_STATE_DIR'] = state;
  journals = join(state, 'uploads');
});

type Finished = Awaited<ReturnType<typeof runNode>>;
const upload = (ingestKey: string, options: INodeParameters = {}): INodeParameters => ({
  operation: 'upload',
  source: 'binary',
  options: { partSizeMb: 5, concurrency: 1, ingestKey, ...options },
});
const itemOf = async (
  name: string,
  mode: 'filesystem' | 'default' = 'default',
): Promise<INodeExecutionData> => {
  const binary = await on.storeBinary(await on.writeFile(name, 16), mode, { fileName: name });
  return { json: {}, binary: { data: binary } };
};

/** Runs until part 3 of 4 is held halfway, and stops the execution there. */
async function stoppedInPart3(parameters: INodeParameters, item: INodeExecutionData): Promise<Finished> {
  on.simulator.fault('hold:always:part=3,bytes=1000');
  const last = on.simulator.events().at(-1)?.seq ?? 0;
  const stop = new AbortController();
  const running = on.run(parameters, { items: [item], signal: stop.signal });
  await on.simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
  stop.abort();
  const finished = await running;
  on.simulator.clearFaults();
  on.simulator.release();
  return finished;
}

describe('an interrupted upload with MEDIA_SERVICE_STATE_DIR', () => {
  test('is continued by the next run: the same session, and only the parts that are missing', async () => {
    const item = await itemOf('cut.mp4');
    const stopped = await stoppedInPart3(upload('order-1'), item);
    expect(stopped.run.status).toBe('canceled');
    const [name, ...others] = await readdir(journals);
    expect(others).toEqual([]);
    const text = await readFile(join(journals, name ?? ''), 'utf8');
    expect(text).not.toMatch(/X-Amz|Bearer|http:/i);
    const before = on.simulator.seen();
    // The data is new, as after another download: other binary data with the same content.
    const again = await itemOf('cut.mp4', 'filesystem');
    const { items, error, ...finished } = await on.run(upload('order-1'), { items: [again] });
    expect(error).toBeUndefined();
    expect(items[0]?.json).toMatchObject({
      status: 'COMPLETED',
      continued: true,
      joined: false,
      uploadId: before.sessions.at(-1)?.uploadId,
    });
    const after = on.simulator.seen();
    expect([after.starts - before.starts, after.completesAccepted - before.completesAccepted]).toEqual([
      0, 1,
    ]);
    // Each part is stored once; the stopped run stored the first two.
    expect(after.sessions.at(-1)?.parts.map(({ puts }) => puts)).toEqual([1, 1, 1, 1]);
    expect(await on.storedSha256()).toBe((await on.writeFile('cut.mp4', 16)).sha256);
    expect(hintTexts(finished)).toEqual([expect.stringContaining('continued')]);
    // Only the result remains, for the next run with the key.
    const [left, ...more] = await readdir(journals);
    expect([left, more]).toEqual([name, []]);
    expect(await readFile(join(journals, name ?? ''), 'utf8')).not.toMatch(/X-Amz|Bearer|http:.*\?|sealed/i);
  });

  test('is refused with another file under the same key, unless "Force New Upload" starts a new one and names the old', async () => {
    await stoppedInPart3(upload('order-2'), await itemOf('first.mp4'));
    const other = await itemOf('second.mp4');
    const refused = await on.run(upload('order-2'), { items: [other] });
    expect(refused.error).toMatchObject({
      message: expect.stringMatching(/second\.mp4 is not the file that upload session .* began with/),
      description: expect.stringMatching(/Force New Upload/),
    });
    const left = on.simulator.seen().sessions.at(-1)?.uploadId;
    const options = { partSizeMb: 5, again: true };
    const { items, error } = await on.run(upload('order-2', options), { items: [other] });
    expect(error).toBeUndefined();
    expect(items[0]?.json['orphans']).toEqual([expect.objectContaining({ uploadId: left })]);
  });

  test('is never run twice at once: the second execution gets an error, and the first one succeeds', async () => {
    const item = await itemOf('twice.mp4');
    on.simulator.fault('hold:always:part=2,bytes=1000');
    const last = on.simulator.events().at(-1)?.seq ?? 0;
    const first = on.run(upload('order-3'), { items: [item] });
    await on.simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
    const second = await on.run(upload('order-3'), { items: [item] });
    expect(second.error?.message).toMatch(/another execution uploads under this ingest key right now/);
    on.simulator.clearFaults();
    on.simulator.release();
    const { error } = await first;
    expect(error).toBeUndefined();
    expect(await readdir(join(on.folder, 'spool'))).toEqual([]);
  });

  test('is joined by the next run if it was sent and nobody waited for it', async () => {
    const item = await itemOf('sent.mp4');
    on.simulator.fault('processing-stuck');
    const sent = await on.run({ ...upload('order-4'), wait: false }, { items: [item] });
    on.simulator.release();
    const { starts } = on.simulator.seen();
    const { items } = await on.run(upload('order-4'), { items: [item] });
    expect(items[0]?.json).toMatchObject({
      joined: true,
      status: 'COMPLETED',
      uploadId: sent.items[0]?.json['uploadId'],
    });
    expect(on.simulator.seen().starts).toBe(starts);
  });
});

describe('a finished upload with MEDIA_SERVICE_STATE_DIR', () => {
  test('is joined by the next run, which marks the result and sends nothing; "Force New Upload" makes a new one', async () => {
    const first = await on.run(upload('order-6'), { items: [await itemOf('ended.mp4')] });
    const result = first.items[0]?.json;
    expect(result).toMatchObject({ status: 'COMPLETED', joined: false });
    const before = on.simulator.seen();
    // n8n may have been killed before it saved the execution, so the data is new.
    const second = await on.run(upload('order-6'), { items: [await itemOf('ended.mp4', 'filesystem')] });
    expect(second.items[0]?.json).toEqual({ ...result, joined: true });
    expect(hintTexts(second)).toEqual([expect.stringContaining('uploaded by an earlier run')]);
    expect(on.simulator.seen()).toEqual(before);
    expect(await readdir(join(on.folder, 'spool'))).toEqual([]);
    const other = await on.run(upload('order-6'), { items: [await itemOf('other.mp4')] });
    expect(other.error?.message).toMatch(/other\.mp4 is not the file that upload session/);
    const options = { partSizeMb: 5, again: true };
    const again = await on.run(upload('order-6', options), { items: [await itemOf('ended.mp4')] });
    expect(again.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false, orphans: [] });
    expect(again.items[0]?.json['uploadId']).not.toBe(result?.['uploadId']);
    expect(on.simulator.seen().starts).toBe(before.starts + 1);
  });
});

describe('an ingest key without MEDIA_SERVICE_STATE_DIR', () => {
  const { N8N_USER_FOLDER: elsewhere } = process.env;
  let home: string;
  beforeEach(() => {
    delete process.env['MEDIA_SERVICE_STATE_DIR'];
    home = join(on.folder, `home-${String(Math.random()).slice(2)}`);
    process.env['N8N_USER_FOLDER'] = home;
  });
  afterEach(() => {
    process.env['N8N_USER_FOLDER'] = elsewhere;
    delete process.env['EXECUTIONS_MODE'];
  });
  const folder = (): string => join(home, '.n8n', 'media-service', 'uploads');
  const twice = async (name: string): Promise<[Finished, Finished]> => {
    const item = await itemOf(`${name}.mp4`);
    return [await on.run(upload(name), { items: [item] }), await on.run(upload(name), { items: [item] })];
  };

  test("still works: journals are in n8n's data folder, for its user only", async () => {
    await mkdir(join(home, '.n8n'), { recursive: true });
    const [first, second] = await twice('order-7');
    expect(first.items[0]?.json).toMatchObject({ joined: false });
    expect(first.items[0]?.json).not.toHaveProperty('warning');
    expect(second.items[0]?.json).toMatchObject({
      joined: true,
      uploadId: first.items[0]?.json['uploadId'],
    });
    expect((await stat(folder())).mode & 0o777).toBe(0o700);
  });

  test('has no effect without a data folder, and the output says so', async () => {
    const { items, ...run } = await on.run(upload('order-8'), { items: [await itemOf('order-8.mp4')] });
    expect(items[0]?.json).toMatchObject({
      status: 'COMPLETED',
      warning: expect.stringMatching(/ingest key has no effect.*set MEDIA_SERVICE_STATE_DIR/),
    });
    expect(hintTexts(run)).toEqual([expect.stringContaining('ingest key has no effect')]);
  });

  test('does not use a folder that others may open: uploads continue, and the output says so', async () => {
    await mkdir(folder(), { recursive: true });
    await chmod(folder(), 0o755);
    const [first, second] = await twice('order-9');
    expect(first.items[0]?.json['warning']).toMatch(/open to other users \(mode 755\)/);
    expect(second.items[0]?.json).toMatchObject({ status: 'COMPLETED', joined: false });
    expect(await readdir(folder())).toEqual([]);
  });

  test('is not mentioned in the output if the user gave none', async () => {
    const { items } = await on.run(upload(''), { items: [await itemOf('no-key.mp4')] });
    expect(items[0]?.json).not.toHaveProperty('warning');
  });

  test('counts for only one worker in queue mode, and the output says so', async () => {
    process.env['EXECUTIONS_MODE'] = 'queue';
    await mkdir(join(home, '.n8n'), { recursive: true });
    const [, second] = await twice('order-10');
    expect(second.items[0]?.json).toMatchObject({
      joined: true,
      warning: expect.stringMatching(/this n8n worker only.*all workers share/),
    });
  });
});

test('an unusable state folder is an error that names the setting, before anything is sent', async () => {
  const file = await on.writeFile('a file', 5);
  process.env['MEDIA_SERVICE_STATE_DIR'] = file.path;
  const { starts } = on.simulator.seen();
  const { error } = await on.run(upload('order-5'), { items: [await itemOf('never.mp4')] });
  expect(error).toMatchObject({
    message: expect.stringMatching(/folder of journals .* can't be used/),
    description: expect.stringMatching(/MEDIA_SERVICE_STATE_DIR/),
  });
  expect(on.simulator.seen().starts).toBe(starts);
});
