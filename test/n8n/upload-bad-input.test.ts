import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import { HOST, openUploadSetting } from './support/upload-setting';
import type { UploadSetting } from './support/upload-setting';

let on: UploadSetting;
beforeAll(async () => {
  on = await openUploadSetting();
});
afterAll(() => on.close());
afterEach(() => {
  on.simulator.clearFaults();
  on.simulator.release();
});

const upload = (parameters: INodeParameters): INodeParameters => ({ operation: 'upload', ...parameters });

test.each(['getMany', 'pause', 'resume', 'cancel'])(
  '%s without a "Temporal API" credential says that it needs one, and what to do',
  async (operation) => {
    const { error } = await on.run(
      { operation, ...(operation === 'getMany' ? {} : { workflowId: 'upload/x' }) },
      { credentials: { mediaServiceApi: on.credentials.mediaServiceApi } },
    );
    expect(error).toMatchObject({
      message: 'This operation needs the credential "Temporal API"',
      description: expect.stringMatching(/Choose a "Temporal API" credential.*with its upload ID/),
    });
  },
);

test.each<{ what: string; parameters: INodeParameters; message: RegExp; hint?: RegExp }>([
  {
    what: 'a malformed URL',
    parameters: { source: 'url', url: 'files/x.mp4' },
    message: /"URL" must start with http/,
  },
  {
    what: 'an ftp URL',
    parameters: { source: 'url', url: 'ftp://x/y.mp4' },
    message: /"URL" must start with http/,
  },
  {
    what: 'an empty path',
    parameters: { path: '={{ $json.none }}' },
    message: /"Path" is empty for this item/,
  },
  {
    what: 'a file type that is not supported',
    parameters: { media: { fileType: '={{ "EXE" }}' } },
    message: /"EXE" is not supported/,
    hint: /MP4/,
  },
  {
    what: 'reserved metadata',
    parameters: { media: { metadata: '{"failureReason":1}' } },
    message: /"failureReason" is reserved/,
  },
  {
    what: 'metadata that is not JSON',
    parameters: { media: { metadata: '{' } },
    message: /"Metadata \(JSON\)" isn't valid JSON/,
  },
  {
    what: 'a creator of 256 characters',
    parameters: { media: { creator: 'x'.repeat(256) } },
    message: /at most 255/,
  },
  ...[0, 0.000001, 601].map((partSizeMb) => ({
    what: `parts of ${partSizeMb} MB`,
    parameters: { options: { partSizeMb } },
    message: /"Preferred Part Size \(MB\)" is \S+: it must be from 5 to 600/,
    hint: /Remove the option/,
  })),
  {
    what: 'a duration in parts of a millisecond',
    parameters: { media: { duration: 1.5 } },
    message: /whole number of milliseconds/,
  },
  {
    what: 'a tag that is a list',
    parameters: { media: { tagsJson: '{"a":[1]}' } },
    message: /tag "a" must be text/,
  },
  {
    what: '17 parts at once',
    parameters: { options: { concurrency: 17 } },
    message: /"Parallel Parts" must be a whole number from 1 to 16/,
  },
  {
    what: 'a host without a worker, if one is required',
    parameters: { host: 'elsewhere', options: { requireWorker: true } },
    message: /No worker serves the task queue .*elsewhere/,
    hint: /leave "Worker Host" empty/,
  },
])('$what is refused before an upload starts', async ({ parameters, message, hint }) => {
  const before = on.simulator.seen().starts;
  const { error } = await on.run(
    upload({ source: 'path', path: '/nowhere/x.mp4', host: HOST, ...parameters }),
  );
  expect(error?.message).toMatch(message);
  if (hint !== undefined) expect(error?.description).toMatch(hint);
  expect(on.simulator.seen().starts).toBe(before);
});

test('an upload that requires a worker when there is none names the queue and the command', async () => {
  const { error } = await on.run(
    upload({ source: 'path', path: '/x.mp4', options: { requireWorker: true } }),
    {
      credentials: {
        ...on.credentials,
        mediaServiceTemporalApi: { ...on.credentials.mediaServiceTemporalApi, taskQueuePrefix: 'nobody' },
      },
    },
  );
  expect(error?.message).toMatch(/No worker serves the task queue nobody\.demo-studio-/);
  expect(error?.description).toMatch(/media-service worker/);
});

test('an upload through a Temporal that does not answer names its address, and does not run inside n8n instead', async () => {
  const { starts } = on.simulator.seen();
  const { error } = await on.run(upload({ source: 'path', path: '/x.mp4' }), {
    credentials: {
      ...on.credentials,
      mediaServiceTemporalApi: { ...on.credentials.mediaServiceTemporalApi, address: '127.0.0.1:9' },
    },
  });
  expect(error?.message).toMatch(/No Temporal server answers at 127\.0\.0\.1:9/);
  expect(on.simulator.seen().starts).toBe(starts);
});

test('the same key for another file is refused, with what differs', async () => {
  const [one, two] = [await on.writeFile('one.mp4', 5), await on.writeFile('two.mp4', 5)];
  const of = (path: string): INodeParameters =>
    upload({ source: 'path', path, host: HOST, options: { ingestKey: 'order-9' } });
  await on.run(of(one.path));
  const { error } = await on.run(of(two.path));
  expect(error?.message).toMatch(/already exists with a different source/);
  const titled = await on.run({ ...of(one.path), title: 'Kitchen' });
  expect(titled.error?.message).toMatch(/already exists with a different title\./);
  expect(error?.description).toMatch(/Force New Upload.*another "Ingest Key"/);
});

test("a file that processing rejects ends as an error with the service's reason", async () => {
  on.simulator.fault('processing-failed');
  const file = await on.writeFile('broken.mp4', 5);
  const { error } = await on.run(upload({ source: 'path', path: file.path, host: HOST }));
  expect(error?.message).toMatch(/could not process the upload: The file could not be processed/);
});

test('an unknown upload ID, and the ID of no workflow, are reported', async () => {
  const session = await on.run({ operation: 'get', by: 'uploadId', uploadId: 'nothing' });
  expect(session.error).toMatchObject({ httpCode: expect.stringMatching(/400|404/) });
  const workflow = await on.run({ operation: 'cancel', workflowId: 'nothing' });
  expect(workflow.error?.message).toMatch(/Temporal knows no such upload.*nothing/);
});
