import { uploadWorkflowId } from '../../temporal/upload/types';
import { commandEnv, linesOf, runCommand, type CommandEnd } from '../support/command';
import { letGo, nextHeld } from '../support/held';
import { useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();

const TUNING = { MEDIA_SERVICE_TUNING: '{"heartbeatMs":4000,"smallFileBytes":0}' };

function run(words: readonly string[]): Promise<CommandEnd> {
  return runCommand(words, { cwd: on.fixture.folder, env: { ...commandEnv(on.fixture), ...TUNING } });
}

/** Starts uploads whose parts are held until `letGo`. */
async function startHeld(names: readonly string[], ...words: readonly string[]): Promise<string[]> {
  const { fixture } = on;
  for (const name of names) await fixture.writeFile(name, 2);
  fixture.simulator.fault('hold:always:part=2');
  const sending = ['--part-size', '5MiB', '--concurrency', '1'];
  const started = await run(['upload', ...names, '--json', ...sending, ...words]);
  return linesOf(started).map(({ workflowId }) => String(workflowId));
}

it('uploads pause, resume and cancel control an upload', async () => {
  const { fixture } = on;
  const held = nextHeld(fixture.simulator);
  const [workflowId = ''] = await startHeld(['controlled.mp4']);
  await held();
  const shown = async (): Promise<object[]> => linesOf(await run(['uploads', 'show', workflowId, '--json']));
  const paused = linesOf(await run(['uploads', 'pause', workflowId, '--json']));
  expect(paused).toEqual([{ workflowId, requested: 'pause' }]);
  expect(await shown()).toMatchObject([{ paused: true }]);
  expect((await run(['uploads', 'resume', workflowId])).stdout).toBe(`${workflowId}: resume requested\n`);
  expect(await shown()).toMatchObject([{ paused: false }]);
  expect((await run(['uploads', 'cancel', workflowId])).exit).toBe(0);
  letGo(fixture.simulator);
  expect((await run(['uploads', 'wait', workflowId])).exit).toBe(5);
  for (const word of ['pause', 'resume', 'cancel']) {
    const { exit, stdout, stderr } = await run(['uploads', word, workflowId, 'upload/nobody/knows']);
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
    expect(stderr).toContain(
      `The upload ${workflowId} has ended (CANCELLED), so it can't be paused, resumed or cancelled.`,
    );
    expect(stderr).toContain(
      `What to do: See how it ended with \`media-service uploads show ${workflowId}\`.`,
    );
    expect(stderr).toContain('knows no such upload: upload/nobody/knows');
  }
});

it('uploads cancel --all cancels every running upload, but no rows of batches', async () => {
  const { fixture } = on;
  const ids = (await startHeld(['one.mp4', 'two.mp4', 'three.mp4'])).sort();
  // Temporal's index is updated late.
  await until(
    `${ids.length} uploads are listed`,
    async () => linesOf(await run(['uploads', 'pause', '--all', '--json'])),
    (paused) => paused.length >= ids.length,
  );
  const cancelled = linesOf(await run(['uploads', 'cancel', '--all', '--json']));
  letGo(fixture.simulator);
  expect(cancelled.map(({ workflowId }) => workflowId).sort()).toEqual(ids);
  expect((await run(['uploads', 'wait', ...ids])).exit).toBe(5);
  const { stderr } = await until(
    'no upload is listed as running',
    () => run(['uploads', 'cancel', '--all']),
    (said) => said.stderr.includes('no running uploads'),
  );
  expect(stderr).toBe('This account has no running uploads.\n');
});

it('uploads pause, resume and cancel need no worker', async () => {
  const { fixture } = on;
  const { path } = await fixture.writeFile('alone.mp4', 0.5);
  const { workflowId } = await fixture.start(path, {}, { queuePrefix: `${fixture.queuePrefix}-nobody` });
  for (const word of ['pause', 'resume', 'cancel'])
    expect(await run(['uploads', word, workflowId])).toEqual({
      exit: 0,
      stdout: `${workflowId}: ${word} requested\n`,
      stderr: '',
    });
  const [shown] = linesOf(await run(['uploads', 'show', workflowId, '--json']));
  expect(shown).toMatchObject({ status: 'CANCELLING' });
  await fixture.connection.client.workflow.getHandle(workflowId).terminate();
});

it('uploads retry uploads a failed file again, with the fields of the first start', async () => {
  const { fixture } = on;
  await fixture.writeFile('titled.mp4', 0.5);
  fixture.simulator.fault('processing-failed:codec not supported');
  const id = uploadWorkflowId(fixture.accountId, 'titled');
  const words = ['--wait', '--title', 'Harbour', '--tag', 'project=apollo', '--id', 'titled'];
  expect((await run(['upload', 'titled.mp4', ...words])).exit).toBe(5);
  const retried = await run(['uploads', 'retry', id, '--wait', '--json']);
  const [result] = linesOf<{ readonly uploadId: string }>(retried);
  const expected = { file: 'titled.mp4', workflowId: id, joined: false, status: 'COMPLETED' };
  expect([retried.exit, result]).toMatchObject([0, expected]);
  expect(fixture.session(result?.uploadId)).toMatchObject({
    title: 'Harbour',
    tags: { project: 'apollo' },
  });
  expect(await run(['uploads', 'retry', id])).toMatchObject({
    exit: 5,
    stdout: '',
    stderr: expect.stringContaining(`${id} has completed, so it can't be retried.`),
  });
});
