import { randomBytes } from 'node:crypto';
import fs, { appendFile, mkdir, readFile, readdir, readlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { HttpSource, S3Source } from '../../api/upload/sources/source';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { listen, type Listening } from '../support/listen';
import { answerRange } from '../support/range-server';
import { useBucket } from '../support/s3-bucket';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

/**
 * Temporary files that this process has open, if the system lists them (Linux). Other processes may create theirs at
 * any time.
 */
async function openTempFiles(): Promise<string[]> {
  const names = await readdir('/proc/self/fd').catch(() => []);
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(join(tmpdir(), '/')));
}

const bucket = useBucket();
const on = useUploadFixture({ worker: false });
let server: Listening;
let spoolDir: string;
/** Guards files from a server that asks for this header. */
const TOKEN = 'source-token-canary';
let guarded: { readonly path: string; readonly sha256: string };
let guardedHost: string;

beforeAll(async () => {
  const { fixture } = on;
  spoolDir = join(fixture.folder, 'spool');
  await mkdir(spoolDir);
  for (const name of ['old.spooled', 'young.spooled', 'foreign.txt'])
    await writeFile(join(spoolDir, name), 'left');
  await utimes(join(spoolDir, 'old.spooled'), new Date(0), new Date(0));
  guarded = await fixture.writeFile('guarded.mp4', 2);
  guardedHost = await serveBehindLogin(guarded.path);
  const secrets = join(fixture.folder, 'secrets.json');
  const cdn = { hosts: [guardedHost], headers: { 'X-Token': TOKEN } };
  await writeFile(secrets, JSON.stringify({ cdn }));
  await fixture.startWorker({ s3: bucket.settings, spoolDir, secrets });
});
afterAll(() => server.close());

/** Serves ranges of a file to whoever sends the token. Returns `host:port`. */
async function serveBehindLogin(path: string): Promise<string> {
  const content = await readFile(path);
  server = await listen(
    createServer((request, response) => {
      if (request.headers['x-token'] === TOKEN) answerRange(content, request, response);
      else response.writeHead(401).end();
    }),
  );
  return new URL(server.url).host;
}

async function expectBytes(uploadId: string, sha256: string): Promise<void> {
  const { simulator } = on.fixture;
  expect(await simulator.objectSha256(on.fixture.session(uploadId).keyName)).toBe(sha256);
}

function historyOf(workflowId: string): Promise<string> {
  return recordedHistory(on.fixture.connection, workflowId).then(readableTexts);
}

describe('an upload whose source is in S3', () => {
  /** Stores an object of `parts` parts. */
  async function putObject(name: string, parts: number): Promise<{ source: S3Source; sha256: string }> {
    const { path, sha256 } = await on.fixture.writeFile(name, parts);
    await bucket.put(`in/${name}`, await readFile(path));
    return { source: { kind: 's3', bucket: bucket.name, key: `in/${name}` }, sha256 };
  }

  it('goes part by part from there to storage, without a temporary file', async () => {
    const { sha256, source } = await putObject('film.mp4', 2.5);
    on.fixture.simulator.fault('hold:part=2');
    const before = await openTempFiles();
    const handle = await on.fixture.start('', { source, media: { title: 'From S3' }, options: HELD });
    await on.fixture.simulator.waitFor(({ event }) => event === 'held');
    expect((await openTempFiles()).filter((path) => !before.includes(path))).toEqual([]);
    on.fixture.simulator.release();
    const result = await handle.result();
    expect(result).toMatchObject({ status: 'COMPLETED', bytes: 2.5 * PART_BYTES, fileType: 'MP4' });
    expect(result.parts.map(({ verified }) => verified)).toEqual([true, true, true]);
    await expectBytes(result.uploadId, sha256);
    expect(await historyOf(handle.workflowId)).not.toContain('AWS4-HMAC-SHA256');
  });

  it('is refused if it is a web page in place of a video, unless the input accepts any content', async () => {
    await bucket.put('in/page.mp4', '<!doctype html><title>Sign in</title>');
    const source: S3Source = { kind: 's3', bucket: bucket.name, key: 'in/page.mp4' };
    const refused = await on.fixture.start('', { source });
    await expect(refused.result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('37 bytes, begins "<!doctype html><title>Si"'),
      facts: { hint: expect.stringContaining('{acceptAnyContent}') },
    });
    const accepted = await on.fixture.start('', { source, options: { acceptAnyContent: true } });
    expect(await accepted.result()).toMatchObject({ status: 'COMPLETED', bytes: 37 });
  });

  it.each<'file' | 'URL' | 'object'>(['file', 'URL', 'object'])(
    'is not completed if it is a growing %s, whose last part was read before',
    async (kind) => {
      const { fixture } = on;
      const { path } = await fixture.writeFile('growing.mp4', 1);
      const object = kind === 'object' ? await putObject('growing.mp4', 1) : undefined;
      const source = kind === 'URL' ? await fixture.serveFile(path) : object?.source;
      const accepted = fixture.simulator.seen().completesAccepted;
      const last = fixture.simulator.events().at(-1)?.seq ?? 0;
      fixture.simulator.fault(`hold:part=1,bytes=${PART_BYTES - 1}`);
      const how = { options: { ...HELD }, ...(source === undefined ? {} : { source }) };
      const handle = await fixture.start(source === undefined ? path : '', how);
      await fixture.simulator.waitFor(({ event, seq }) => event === 'held' && seq > last);
      await appendFile(path, Buffer.alloc(1024 * 1024));
      if (object !== undefined) await bucket.put(object.source.key, randomBytes(PART_BYTES + 1));
      fixture.simulator.release();
      await expect(handle.result()).rejects.toMatchObject({ code: 'SourceChanged' });
      expect(fixture.simulator.seen().completesAccepted).toBe(accepted);
    },
  );
});

describe('a source that needs a login', () => {
  it('is uploaded with the headers of its secret, and Temporal stores only the name of the secret', async () => {
    const url = `http://${guardedHost}/film.mp4`;
    const source: HttpSource = { kind: 'http', url, label: '', headersSecret: 'cdn' };
    const handle = await on.fixture.start('', { source });
    const { uploadId } = await handle.result();
    await expectBytes(uploadId, guarded.sha256);
    const history = await historyOf(handle.workflowId);
    expect(history).toContain('headersSecret');
    expect(secretsIn(history, [TOKEN])).toEqual([]);
  });

  it('ends before a session is started if it has no secret, with the advice to name one', async () => {
    const { fixture } = on;
    const { starts } = fixture.simulator.seen();
    const source = { kind: 'http', url: `http://${guardedHost}/closed.mp4`, label: '' } as const;
    await expect((await fixture.start('', { source })).result()).rejects.toMatchObject({
      code: 'SourceMissing',
      message: expect.stringContaining('answered 401'),
      facts: { hint: expect.stringContaining('{sourceSecret}') },
    });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });
});

describe('a source without support for Range', () => {
  const OTHERS = ['foreign.txt', 'young.spooled'];
  const served = async (path: string): Promise<HttpSource> => ({
    ...(await on.fixture.serveFile(path)),
    spool: true,
  });

  it('is copied to the spool folder of one machine, sent from there, and the copy is removed', async () => {
    const file = await on.fixture.writeFile('spooled.mp4', 2);
    const result = await (await on.fixture.start('', { source: await served(file.path) })).result();
    await expectBytes(result.uploadId, file.sha256);
    expect((await readdir(spoolDir)).sort()).toEqual(OTHERS);
  });

  it('waits while the spool folder has no room for it, says so, and is sent once there is room', async () => {
    const space = { bsize: 1, blocks: 1e12, bavail: 0 };
    const statfs = jest
      .spyOn(fs, 'statfs')
      .mockImplementation((async () => space) as unknown as typeof fs.statfs);
    try {
      const file = await on.fixture.writeFile('waits.mp4', 0.1);
      const handle = await on.fixture.start('', { source: await served(file.path) });
      const progress = await until(
        'the upload says what it waits for',
        () => handle.progress(),
        ({ waitReason }) => waitReason !== undefined,
      );
      expect(progress).toMatchObject({
        phase: 'pinning',
        waitReason: {
          code: 'SourceUnavailable',
          message: expect.stringContaining(`the spool folder ${spoolDir} has no room for the source`),
          hint: expect.stringContaining('{spoolDir}'),
        },
      });
      expect((await readdir(spoolDir)).sort()).toEqual(OTHERS);
      space.bavail = 1e12;
      expect(await handle.result()).toMatchObject({ status: 'COMPLETED' });
    } finally {
      statfs.mockRestore();
    }
  });

  it('is an error that names the setting if no worker has a spool folder', async () => {
    const { fixture } = on;
    const queuePrefix = `${fixture.queuePrefix}-no-spool`;
    await fixture.startWorker({ queuePrefix });
    const { starts } = fixture.simulator.seen();
    const file = await fixture.writeFile('other.mp4', 0.1);
    const handle = await fixture.start('', { source: await served(file.path) }, { queuePrefix });
    await expect(handle.result()).rejects.toMatchObject({
      code: 'Configuration',
      facts: { hint: expect.stringContaining('{spoolDir}') },
    });
    expect(fixture.simulator.seen().starts).toBe(starts);
  });
});
