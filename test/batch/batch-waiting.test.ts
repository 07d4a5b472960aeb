import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useCredentials } from '../support/aws-credentials';
import { expectOnce, startRows, untilWaiting, writeRows } from '../support/batch-fixture';
import { commandEnv, runCommand } from '../support/command';
import type { CommandEnd } from '../support/command';
import { freePort } from '../support/free-port';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
useCredentials('anybody', 'a secret that nobody checks');
let endpoint: string;
let stop: () => Promise<void>;
/** A worker whose S3 can't be reached. */
beforeAll(async () => {
  endpoint = `http://127.0.0.1:${String(await freePort())}`;
  stop = await on.fixture.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
});

function run(...words: string[]): Promise<CommandEnd> {
  return runCommand(['batches', ...words], { cwd: on.fixture.folder, env: commandEnv(on.fixture) });
}

it("a batch whose folder is in an S3 that can't be reached ends its start with an error that says so and how to give the batch up", async () => {
  const { fixture } = on;
  await writeFile(join(fixture.folder, 'a.mp4'), 'a film');
  await writeFile(join(fixture.folder, 'away.csv'), 'source,id\na.mp4,a\n');
  const ended = await run('start', 'away.csv', '--id', 'away', '--results', 's3://nobody/away');
  expect(ended).toMatchObject({ exit: 4, stdout: '' });
  expect(ended.stderr).toContain(`The plan of away can't be made yet: S3 at ${endpoint} can't be reached`);
  expect(ended.stderr).toContain('What to do: Check MEDIA_SERVICE_S3_ENDPOINT');
  expect(ended.stderr).toContain('`media-service batches cancel away` ends it');
});

it('a batch whose service refuses one call and asks for an hour without calls fails no row and says what it waits for; cancelled and started again, it uploads each row once', async () => {
  const { fixture } = on;
  const rows = await writeRows(fixture, 'limited', 6);
  fixture.simulator.fault('rate-limit-429:1:operation=complete,seconds=3600');
  const first = await startRows(fixture, 'limited', rows, { options: { pageRows: 6 } });
  expect(await untilWaiting(first)).toMatchObject({
    counts: { failed: 0 },
    waitReason: { code: 'RateLimited' },
  });
  const shown = await run('show', 'limited', '--json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ waitReason: { code: 'RateLimited' } });
  await first.cancel();
  await expect(first.result()).rejects.toMatchObject({ code: 'Cancelled' });
  // Another worker does not know of the hour.
  await stop();
  await fixture.startWorker();
  const second = await startRows(fixture, 'limited', rows, { options: { pageRows: 6 } });
  expect((await second.result()).counts).toMatchObject({ rows: 6, completed: 6, failed: 0 });
  expectOnce(fixture, rows);
});
