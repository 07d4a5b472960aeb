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

describe('upload --wait --json', () => {
  it('prints the result as one line, and storage holds the bytes of the file', async () => {
    const { sha256 } = await fixture.writeFile('whole.mp4', 2.5);
    const fields = ['--title', 'Harbour', '--tag', 'project=apollo', '--metadata', '{"take":2}'];
    const words = ['upload', 'whole.mp4', '--wait', '--json', '--part-size', '5MiB', ...fields];
    const ended = await run([...words, '--library']);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const result = lineOf(ended);
    expect(result).toMatchObject({
      file: 'whole.mp4',
      joined: false,
      status: 'COMPLETED',
      fileType: 'MP4',
      parts: [{ partNumber: 1, verified: true }, { partNumber: 2 }, { partNumber: 3 }],
      orphans: [],
    });
    const session = fixture.session(result.uploadId);
    expect(session).toMatchObject({ title: 'Harbour', tags: { project: 'apollo' }, completesAccepted: 1 });
    expect(await fixture.simulator.objectSha256(session.keyName)).toBe(sha256);
  });

  it('joins the upload of the same file, and uploads it again with --again', async () => {
    await fixture.writeFile('twice.mp4', 1);
    const first = lineOf(await run(['upload', 'twice.mp4', '--wait', '--json']));
    const second = lineOf(await run(['upload', 'twice.mp4', '--wait', '--json']));
    expect(second).toMatchObject({ joined: true, uploadId: first.uploadId, workflowId: first.workflowId });
    const third = lineOf(await run(['upload', 'twice.mp4', '--wait', '--json', '--again']));
    expect(third.joined).toBe(false);
    expect(third.uploadId).not.toBe(first.uploadId);
  });
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

/** Starts an upload whose second part is held. */
async function startHeld(
  name: string,
  begin: (words: string[]) => Promise<RunningCommand> | RunningCommand,
): Promise<{ readonly command: RunningCommand; readonly id: string; readonly uploadId: string | undefined }> {
  await fixture.writeFile(name, 2);
  fixture.simulator.fault('hold:always:part=2');
  const held = nextHeld(fixture.simulator);
  const id = uploadWorkflowId(fixture.accountId, name);
  const words = ['--part-size', '5MiB', '--id', name];
  const command = await begin(['upload', name, '--wait', ...words]);
  const { uploadId } = await held();
  return { command, id, uploadId };
}

it.each([
  // A person reads how to see the upload again; what sends SIGTERM doesn't.
  ['SIGINT', true],
  ['SIGTERM', false],
] as const)('%s detaches, and the upload continues', async (signal, isPerson) => {
  const built = (words: string[]): Promise<RunningCommand> => startBuilt(words, { cwd: fixture.folder, env });
  const { command, id, uploadId } = await startHeld(`${signal}.mp4`, built);
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

describe('upload starts nothing', () => {
  it('if one of several files is wrong', async () => {
    await fixture.writeFile('good.mp4', 1);
    await writeFile(join(fixture.folder, 'empty.mp4'), '');
    const before = fixture.simulator.seen().starts;
    const { exit, stdout } = await run(['upload', 'good.mp4', 'empty.mp4', '--wait']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(fixture.simulator.seen().starts).toBe(before);
  });
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

  it('an earlier upload is joined without a warning', async () => {
    await fixture.writeFile('before.mp4', 1);
    const queuePrefix = `${fixture.queuePrefix}-before`;
    const alone = { MEDIA_SERVICE_QUEUE_PREFIX: queuePrefix };
    const stop = await fixture.startWorker({ queuePrefix });
    expect((await run(['upload', 'before.mp4', '--wait'], alone)).exit).toBe(0);
    await stop();
    const onNobody = { MEDIA_SERVICE_QUEUE_PREFIX: `${fixture.queuePrefix}-nobody-here` };
    const joined = await run(['upload', 'before.mp4', '--json'], onNobody);
    expect(joined).toMatchObject({ exit: 0, stderr: '' });
    expect(lineOf(joined).joined).toBe(true);
  });
});

it('a folder is refused, with what to do', async () => {
  await mkdir(join(fixture.folder, 'clips'));
  const { exit, stderr } = await run(['upload', 'clips']);
  expect(exit).toBe(5);
  expect(stderr).toContain('`media-service batches plan` makes a manifest of its files');
});
