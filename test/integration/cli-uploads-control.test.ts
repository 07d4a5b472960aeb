import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

/** The JSON line of the upload, once the table lists it with this status. Temporal's index is updated late. */
async function listedAs(workflowId: string, status: string): Promise<object | undefined> {
  const { stdout } = await until(
    `uploads list shows ${workflowId}`,
    () => run(['uploads', 'list', '--status', 'RUNNING']),
    (listed) => listed.stdout.includes(workflowId),
  );
  expect(stdout).toMatch(new RegExp(`\\n${status} .* ${workflowId}\\n`));
  const listed = linesOf(await run(['uploads', 'list', '--status', 'RUNNING', '--json']));
  return listed.find((line) => line['workflowId'] === workflowId);
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
  expect(await listedAs(workflowId, 'PAUSED')).toMatchObject({ status: 'RUNNING', paused: true });
  expect((await run(['uploads', 'resume', workflowId])).stdout).toBe(`${workflowId}: resume requested\n`);
  expect(await shown()).toMatchObject([{ paused: false }]);
  expect(await listedAs(workflowId, 'RUNNING')).toMatchObject({ status: 'RUNNING', paused: false });
  expect((await run(['uploads', 'cancel', workflowId])).exit).toBe(0);
  letGo(fixture.simulator);
  expect((await run(['uploads', 'wait', workflowId])).exit).toBe(5);
  for (const word of ['pause', 'resume', 'cancel']) {
    const { exit, stdout, stderr } = await run(['uploads', word, workflowId, 'upload/nobody/knows']);
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
    expect(stderr).toContain(
      `The upload ${workflowId} was cancelled, so it can't be paused, resumed or cancelled.`,
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

it.each(['pause', 'resume', 'cancel'])('uploads %s says if no worker is there to do it', async (word) => {
  const { fixture } = on;
  const { path } = await fixture.writeFile(`alone-${word}.mp4`, 0.5);
  const queuePrefix = `${fixture.queuePrefix}-nobody`;
  const { workflowId } = await fixture.start(path, {}, { queuePrefix });
  const { exit, stdout, stderr } = await run(['uploads', word, workflowId]);
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: `${workflowId}: ${word} requested\n` });
  expect(stderr).toBe(
    `No worker serves the task queue ${queuePrefix}.${fixture.accountId}. The request (${word}) takes effect when one runs.\n` +
      'What to do: Run `media-service worker` with the secrets of this account, the same Temporal namespace and the same task queue prefix.\n',
  );
  const [shown] = linesOf(await run(['uploads', 'show', workflowId, '--json']));
  expect(shown).toMatchObject({ status: word === 'cancel' ? 'CANCELLING' : 'RUNNING' });
  await fixture.connection.client.workflow.getHandle(workflowId).terminate();
});

it.each<[what: string, words: string[], message: string]>([
  ['cancel without id and --all', ['cancel'], 'Give upload ids or --all.'],
  ['cancel with ids and --all', ['cancel', 'upload/acme/1', '--all'], 'Give upload ids or --all.'],
  ['retry without id', ['retry'], 'Give upload ids or --failed.'],
  ['retry with an id and --failed', ['retry', 'upload/x', '--failed'], "Ids and --failed can't be combined."],
  ['--from without --failed', ['retry', 'upload/x', '--from', '-1d'], '--from is for --failed.'],
])('uploads refuses %s', async (_what, words, message) => {
  const { exit, stderr } = await run(['uploads', ...words]);
  expect(exit).toBe(2);
  expect(stderr).toContain(message);
});

describe('uploads retry', () => {
  async function failed(name: string): Promise<string> {
    const { fixture } = on;
    await fixture.writeFile(name, 0.5);
    fixture.simulator.fault('processing-failed:codec not supported');
    expect((await run(['upload', name, '--wait', '--id', name])).exit).toBe(5);
    return uploadWorkflowId(fixture.accountId, name);
  }

  it('uploads a failed file again, with the fields of the first start', async () => {
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

  it('with --failed uploads failed files again, but not those already retried and not rows of batches', async () => {
    const { fixture } = on;
    const ids = [await failed('broken.mp4'), await failed('cracked.mp4')];
    fixture.simulator.fault('processing-failed:codec not supported');
    await writeFile(join(fixture.folder, 'rows.csv'), 'source\ntitled.mp4\n');
    expect((await run(['batches', 'start', 'rows.csv', '--wait'])).exit).toBe(5);
    await until(
      'all three failed uploads are listed',
      async () => linesOf(await run(['uploads', 'list', '--status', 'FAILED', '--json'])),
      (listed) => listed.length >= 3,
    );
    const { exit, stdout } = await run(['uploads', 'retry', '--failed']);
    expect(exit).toBe(0);
    expect(stdout.trimEnd().split('\n').sort()).toEqual([
      `broken.mp4: started again, ${String(ids[0])}`,
      `cracked.mp4: started again, ${String(ids[1])}`,
    ]);
    expect((await run(['uploads', 'wait', ...ids])).exit).toBe(0);
    expect((await run(['uploads', 'retry', '--failed'])).stderr).toBe(
      'No upload has failed. For rows of a batch, use `media-service batches retry`.\n',
    );
  });
});
