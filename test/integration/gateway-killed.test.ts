import { join } from 'node:path';
import { batchWorkflowId } from '../../temporal/batch/ids';
import { openUpload } from '../../temporal/upload/client/open-upload';
import { uploadWorkflowId } from '../../temporal/upload/types';
import { afterTest } from '../support/after-test';
import { buildCommand, startBuilt } from '../support/built-command';
import { commandEnv, linesOf, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();
let env: Record<string, string>;
beforeAll(async () => {
  await buildCommand();
  env = { ...commandEnv(on.fixture), MEDIA_SERVICE_OPTIONS: '{"allowPlainHttp":true}' };
});

interface Door {
  post(path: string, body?: object): Promise<Record<string, unknown>>;
  get(path: string): Promise<Record<string, unknown>>;
  kill(): Promise<void>;
}

/** Each door is a process of its own. The uploads run in the test's own worker. */
async function openDoor(...words: readonly string[]): Promise<Door> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const context = { cwd: on.fixture.folder, env };
  const program = await startBuilt([...words, '--http', String(port), '--json'], context);
  const kill = async (): Promise<void> => {
    program.signal('SIGKILL');
    await program.ended;
  };
  afterTest(kill);
  await program.until('"ready":true');
  const jsonOf = async (answer: Promise<Response>): Promise<Record<string, unknown>> =>
    (await (await answer).json()) as Record<string, unknown>;
  const headers = { 'content-type': 'application/json' };
  return {
    kill,
    get: (path) => jsonOf(fetch(url + path)),
    post: (path, body = {}) =>
      jsonOf(fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })),
  };
}

const UPLOADS = '/v1/uploads';
const GATEWAY = ['gateway', '--http-post-to', '127.0.0.1'];

const answered = (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => true,
    () => false,
  );

describe('a gateway that is killed in the middle of', () => {
  it('a start has begun one upload, which the same start joins', async () => {
    const { fixture } = on;
    const { path } = await fixture.writeFile('killed.mp4', 1);
    fixture.simulator.fault('hold:part=1');
    const body = { source: path, sharedPath: true, ingestKey: 'killed' };
    const door = await openDoor('gateway');
    const start = answered(door.post(UPLOADS, body));
    const { workflow } = fixture.connection.client;
    const id = uploadWorkflowId(fixture.accountId, 'killed');
    await until('the upload begins', () => answered(workflow.getHandle(id).describe()), undefined, {
      pauseMs: 1,
    });
    await door.kill();
    await start;
    const again = await openDoor('gateway');
    expect(await again.post(UPLOADS, body)).toMatchObject({ id, joined: true });
    await fixture.simulator.waitFor(({ event }) => event === 'held');

    const waiting = answered(again.get('/v1/uploads/killed?wait=60'));
    await again.kill();
    expect(await waiting).toBe(false);
    const third = await openDoor('gateway');
    fixture.simulator.release();
    expect(await third.get('/v1/uploads/killed?wait=60')).toMatchObject({ id, status: 'COMPLETED' });
    expect(fixture.session().completesAccepted).toBe(1);
  });

  it('any other call has done it once, also if the same call follows', async () => {
    const { fixture } = on;
    const { workflow } = fixture.connection.client;
    const { path } = await fixture.writeFile('controlled.mp4', 1);
    const upload = openUpload(fixture.connection, uploadWorkflowId(fixture.accountId, 'controlled'));
    const batch = { rows: [{ id: '1', source: path }], batchId: 'controlled', sharedPath: true };
    const wait = { ids: ['controlled'], url: 'http://127.0.0.1:9/hook', waitId: 'controlled' };
    const isThere = (id: string) => (): Promise<boolean> => answered(workflow.getHandle(id).describe());
    const isPaused = async (): Promise<boolean> => (await upload.progress()).paused;
    const isRunning = async (): Promise<boolean> =>
      (await workflow.getHandle(upload.workflowId).describe()).status.name === 'RUNNING';
    const calls: readonly [path: string, happened: () => Promise<boolean>, body?: object][] = [
      ['/v1/uploads/controlled/pause', isPaused],
      ['/v1/uploads/controlled/resume', async () => !(await isPaused())],
      ['/v1/waits', isThere(`wait/${fixture.accountId}/controlled`), wait],
      [
        '/v1/batches',
        isThere(batchWorkflowId(fixture.accountId, 'controlled')),
        { ...batch, folder: join(fixture.folder, 'controlled') },
      ],
      ['/v1/uploads/controlled/cancel', async () => !(await isRunning())],
      ['/v1/uploads/controlled/retry', isRunning],
    ];
    fixture.simulator.fault('hold:always:part=1');
    let door = await openDoor(...GATEWAY);
    await door.post(UPLOADS, { source: path, sharedPath: true, ingestKey: 'controlled' });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    for (const [address, happened, body] of calls) {
      const first = answered(door.post(address, body));
      await until(`${address} has happened`, happened, undefined, { pauseMs: 1 });
      await door.kill();
      await first;
      door = await openDoor(...GATEWAY);
      const { error } = (await door.post(address, body)) as { readonly error?: { readonly message: string } };
      // What was cancelled has ended.
      const says = address.endsWith('cancel')
        ? expect.stringMatching(/ has ended \(CANCELLED\), so /)
        : undefined;
      expect([address, error?.message, await happened()]).toEqual([address, says, true]);
    }
  });
});

it('a start over HTTP and one at the command line with the same key or file are one upload', async () => {
  const { fixture } = on;
  const door = await openDoor('worker');
  const [keyed, plain] = await Promise.all(
    ['keyed', 'plain'].map((name) => fixture.writeFile(`${name}.mp4`, 0.1)),
  );
  const sources = [[String(keyed?.path), 'key-1'], [String(plain?.path)]] as const;
  for (const [source, ingestKey] of sources) {
    const words = ingestKey === undefined ? [] : ['--id', ingestKey];
    const [http, command] = await Promise.all([
      door.post(UPLOADS, { source, ingestKey, media: { title: 'Film' } }),
      runCommand(['upload', source, '--title', 'Film', ...words, '--json'], { cwd: fixture.folder, env }),
    ]);
    expect(command).toMatchObject({ exit: 0, stderr: '' });
    expect(linesOf(command)).toMatchObject([{ workflowId: http['id'] }]);
  }
});
