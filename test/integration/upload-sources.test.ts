import { mkdir, readFile, readdir, readlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpSource, S3Source } from '../../api/upload/sources/source';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { listen, type Listening } from '../support/listen';
import { answerRange } from '../support/range-server';
import { useBucket } from '../support/s3-bucket';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

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
});
