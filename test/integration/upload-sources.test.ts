import { mkdir, readFile, readdir, readlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterTest } from '../support/after-test';
import { secretsIn } from '../support/canary';
import { readableTexts, recordedHistory } from '../support/recorded-history';
import { listen } from '../support/listen';
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
let spoolDir: string;
let secrets: string;

beforeAll(async () => {
  const { fixture } = on;
  spoolDir = join(fixture.folder, 'spool');
  secrets = join(fixture.folder, 'secrets.json');
  await mkdir(spoolDir);
  for (const name of ['old.spooled', 'young.spooled', 'foreign.txt'])
    await writeFile(join(spoolDir, name), 'left');
  await utimes(join(spoolDir, 'old.spooled'), new Date(0), new Date(0));
  await writeFile(secrets, '{}');
  await fixture.startWorker({ s3: bucket.settings, spoolDir, secrets });
});

function historyOf(workflowId: string): Promise<string> {
  return recordedHistory(on.fixture.connection, workflowId).then(readableTexts);
}

it('an upload whose source is in S3 goes part by part from there to storage, without a temporary file', async () => {
  const { path, sha256 } = await on.fixture.writeFile('film.mp4', 2.5);
  await bucket.put('film.mp4', await readFile(path));
  const source = { kind: 's3', bucket: bucket.name, key: 'film.mp4' } as const;
  on.fixture.simulator.fault('hold:part=2');
  const before = await openTempFiles();
  const handle = await on.fixture.start('', { source, media: { title: 'From S3' }, options: HELD });
  await on.fixture.simulator.waitFor(({ event }) => event === 'held');
  expect((await openTempFiles()).filter((path) => !before.includes(path))).toEqual([]);
  on.fixture.simulator.release();
  const result = await handle.result();
  expect(result).toMatchObject({ status: 'COMPLETED', bytes: 2.5 * PART_BYTES, fileType: 'MP4' });
  expect(result.parts.map(({ verified }) => verified)).toEqual([true, true, true]);
  expect(await on.fixture.storedSha256(result.uploadId)).toBe(sha256);
  expect(await historyOf(handle.workflowId)).not.toContain('AWS4-HMAC-SHA256');
});

it('a source that needs a login is uploaded with the headers of its secret, and Temporal stores only the name of the secret', async () => {
  const token = 'source-token-canary';
  const file = await on.fixture.writeFile('guarded.mp4', 2);
  const content = await readFile(file.path);
  const server = await listen(
    createServer((request, response) => {
      if (request.headers['x-token'] === token) answerRange(content, request, response);
      else response.writeHead(401).end();
    }),
  );
  afterTest(server.close);
  const cdn = { hosts: [new URL(server.url).host], headers: { 'X-Token': token } };
  await writeFile(secrets, JSON.stringify({ cdn }));
  const url = `${server.url}/film.mp4`;
  const source = { kind: 'http', url, label: '', headersSecret: 'cdn' } as const;
  const handle = await on.fixture.start('', { source });
  const { uploadId } = await handle.result();
  expect(await on.fixture.storedSha256(uploadId)).toBe(file.sha256);
  const history = await historyOf(handle.workflowId);
  expect(history).toContain('headersSecret');
  expect(secretsIn(history, [token])).toEqual([]);
});

it('a source without support for Range is copied to the spool folder of one machine, sent from there, and the copy is removed', async () => {
  const file = await on.fixture.writeFile('spooled.mp4', 2);
  const source = { ...(await on.fixture.serveFile(file.path)), spool: true };
  const { uploadId } = await (await on.fixture.start('', { source })).result();
  expect(await on.fixture.storedSha256(uploadId)).toBe(file.sha256);
  expect((await readdir(spoolDir)).sort()).toEqual(['foreign.txt', 'young.spooled']);
});
