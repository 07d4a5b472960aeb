import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uploadWorkflowId } from '../../temporal/upload/types';
import { buildCommand, startBuilt } from '../support/built-command';
import { commandEnv, linesOf, runCommand, startCommand, type CommandEnd } from '../support/command';
import type { RunningCommand } from '../support/command';
import { letGo, nextHeld } from '../support/held';
import { useUploadFixture, type UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture();
let fixture: UploadFixture;
let env: Record<string, string>;

beforeAll(async () => {
  await buildCommand();
  ({ fixture } = on);
  env = { ...commandEnv(fixture), MEDIA_SERVICE_TUNING: '{"heartbeatMs":4000}' };
});

function run(words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(words, { cwd: fixture.folder, env: { ...env, ...change } });
}

function start(words: readonly string[], change: Record<string, string> = {}): RunningCommand {
  return startCommand(words, { cwd: fixture.folder, env: { ...env, ...change }, hasty: true });
}

interface Line {
  readonly file: string;
  readonly workflowId: string;
  readonly uploadId: string;
  readonly joined: boolean;
  readonly state?: string;
}

function lineOf(ended: CommandEnd): Line {
  const [line] = linesOf<Line>(ended);
  if (line === undefined) throw new Error(`Nothing on stdout; stderr: ${ended.stderr}`);
  return line;
}

it('upload --wait joins the upload of the same file without a warning that no worker runs, and uploads it again with --again', async () => {
  await fixture.writeFile('twice.mp4', 1);
  const words = ['upload', 'twice.mp4', '--wait', '--json'];
  const first = lineOf(await run(words));
  const second = await run(words, { MEDIA_SERVICE_QUEUE_PREFIX: `${fixture.queuePrefix}-nobody-here` });
  expect(second).toMatchObject({ exit: 0, stderr: '' });
  const { uploadId, workflowId } = first;
  expect(lineOf(second)).toMatchObject({ joined: true, uploadId, workflowId });
  const third = lineOf(await run([...words, '--again']));
  expect(third.joined).toBe(false);
  expect(third.uploadId).not.toBe(first.uploadId);
});

it('upload without --wait prints the ID and ends; uploads list, show and wait find the upload again', async () => {
  await fixture.writeFile('later.mp4', 1);
  fixture.simulator.fault('processing-stuck');
  const { workflowId } = lineOf(await run(['upload', 'later.mp4', '--json']));
  const { uploadId } = await fixture.simulator.waitFor(
    ({ event, operation }) => event === 'held' && operation === 'processing',
  );
  // The service accepts it before the worker has its answer.
  const shown = await until(
    'the upload is being processed',
    async () =>
      JSON.parse((await run(['uploads', 'show', workflowId, '--json'])).stdout) as {
        readonly phase?: string;
      },
    ({ phase }) => phase === 'processing',
  );
  expect(shown).toMatchObject({ workflowId, partsDone: 1, partsTotal: 1 });
  const asked = await run(['uploads', 'show', uploadId ?? '', '--session', '--json']);
  expect(JSON.parse(asked.stdout)).toMatchObject({
    uploadId,
    status: 'PENDING_COMPLETE',
    parts: [{ partNumber: 1 }],
  });
  const waiting = start(['uploads', 'wait', workflowId]);
  await waiting.until('processing');
  fixture.simulator.release();
  const { exit, stdout: ended } = await waiting.ended;
  expect(exit).toBe(0);
  expect(ended).toMatch(/^later\.mp4: COMPLETED, /);
  // Temporal's index is updated late.
  const found = await until(`uploads list shows ${workflowId}`, async () => {
    const listed = await run(['uploads', 'list', '--limit', '50', '--json']);
    return linesOf(listed).find((line) => line['workflowId'] === workflowId);
  });
  expect(found).toMatchObject({ label: 'later.mp4' });
});

it.each([
  // A person reads how to see the upload again; what sends SIGTERM doesn't.
  ['SIGINT', true],
  ['SIGTERM', false],
] as const)('%s detaches, and the upload continues', async (signal, isPerson) => {
  await fixture.writeFile('held.mp4', 2);
  fixture.simulator.fault('hold:always:part=2');
  const held = nextHeld(fixture.simulator);
  const id = uploadWorkflowId(fixture.accountId, signal);
  const words = ['upload', 'held.mp4', '--wait', '--part-size', '5MiB', '--id', signal];
  const command = await startBuilt(words, { cwd: fixture.folder, env });
  const { uploadId } = await held();
  command.signal(signal);
  const { exit, stderr } = await command.ended;
  expect(exit).toBe(isPerson ? 130 : 143);
  expect(
    stderr.includes(`\n  media-service uploads wait ${id}\n  media-service uploads cancel ${id}\n`),
  ).toBe(isPerson);
  expect(stderr).not.toContain('Cancelling');
  letGo(fixture.simulator);
  const result = lineOf(await run(['uploads', 'wait', id, '--json']));
  expect(result).toMatchObject({ status: 'COMPLETED', uploadId });
});

it('upload starts nothing if one of several files is wrong', async () => {
  await fixture.writeFile('good.mp4', 1);
  await writeFile(join(fixture.folder, 'empty.mp4'), '');
  const before = fixture.simulator.seen().starts;
  const { exit, stdout } = await run(['upload', 'good.mp4', 'empty.mp4', '--wait']);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(fixture.simulator.seen().starts).toBe(before);
});

describe('without a worker', () => {
  it('an upload of this machine starts with a warning, says what it waits for, and a later worker takes it', async () => {
    await fixture.writeFile('early.mp4', 1);
    const queue = `${fixture.queuePrefix}.${fixture.accountId}.transfer@later`;
    const waiting = start(['upload', 'early.mp4', '--wait'], { MEDIA_SERVICE_HOST: 'later' });
    await waiting.until(
      `Warning: No worker serves the task queue ${queue} yet. ` +
        'The upload starts when a worker does. Run `media-service worker` on later.\n',
    );
    await waiting.until(`early.mp4: Waiting: No worker serves the task queue ${queue}. What to do: Run`);
    const stop = await fixture.startWorker({ host: 'later' });
    const { exit, stdout } = await waiting.ended;
    await stop();
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: expect.stringContaining('early.mp4: COMPLETED') });
  });

  it('uploads show prints what Temporal knows and why the upload waits, and a later worker takes it', async () => {
    await fixture.writeFile('nobody.mp4', 1);
    const queuePrefix = `${fixture.queuePrefix}-nobody`;
    const alone = { MEDIA_SERVICE_QUEUE_PREFIX: queuePrefix };
    const { workflowId } = lineOf(await run(['upload', 'nobody.mp4', '--shared-path', '--json'], alone));
    const message = `No worker serves the task queue ${queuePrefix}.${fixture.accountId}.`;
    const shown = await run(['uploads', 'show', workflowId, '--json'], alone);
    expect(shown).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toMatchObject({
      workflowId,
      status: 'RUNNING',
      label: 'nobody.mp4',
      waitReason: { code: 'NoWorker', message },
    });
    const text = await run(['uploads', 'show', workflowId], alone);
    expect(text.stdout).toMatch(
      /^nobody\.mp4: RUNNING, started .*\n {2}Waiting: No worker serves the task queue /,
    );
    const doctor = await run(['doctor'], alone);
    expect(doctor.exit).toBe(4);
    expect(doctor.stdout).toContain('FAIL  workers: no worker of this account is running');
    const stop = await fixture.startWorker({ queuePrefix });
    expect((await run(['uploads', 'wait', workflowId], alone)).exit).toBe(0);
    await stop();
  });
});

it('a folder is refused, with what to do', async () => {
  await mkdir(join(fixture.folder, 'clips'));
  const { exit, stderr } = await run(['upload', 'clips']);
  expect(exit).toBe(5);
  expect(stderr).toContain('`media-service batches plan` makes a manifest of its files');
});
