import { beforeAll, expect, it } from '@jest/globals';
import { buildCommand, commandEnv, runCommand, type CommandEnd } from '../support/command';
import { useUploadBed } from '../support/upload-bed';

const on = useUploadBed();
beforeAll(buildCommand);

function run(words: readonly string[]): Promise<CommandEnd> {
  return runCommand(words, { cwd: on.bed.folder, env: commandEnv(on.bed) });
}

interface Line {
  readonly workflowId: string;
  readonly requested?: string;
}

const linesOf = ({ stdout }: CommandEnd): Line[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

/** Starts uploads whose parts are held until `letGo`. */
async function startHeld(names: readonly string[], ...words: readonly string[]): Promise<string[]> {
  const { bed } = on;
  for (const name of names) await bed.writeFile(name, 2);
  bed.simulator.fault('hold:always:part=2');
  const sending = ['--part-size', '5MiB', '--concurrency', '1', '--heartbeat', '4s'];
  const started = await run(['upload', ...names, '--json', ...sending, ...words]);
  return linesOf(started).map(({ workflowId }) => workflowId);
}

function letGo(): void {
  on.bed.simulator.clearFaults();
  on.bed.simulator.release();
}

it('uploads pause, resume and cancel control an upload', async () => {
  const { bed } = on;
  const after = bed.simulator.events().at(-1)?.seq ?? 0;
  const [workflowId = ''] = await startHeld(['controlled.mp4']);
  await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > after);
  expect(linesOf(await run(['uploads', 'pause', workflowId, '--json']))).toEqual([
    { workflowId, requested: 'pause' },
  ]);
  expect(JSON.parse((await run(['uploads', 'show', workflowId, '--json'])).stdout)).toMatchObject({
    paused: true,
  });
  expect((await run(['uploads', 'resume', workflowId])).stdout).toBe(`${workflowId}: resume requested\n`);
  expect(JSON.parse((await run(['uploads', 'show', workflowId, '--json'])).stdout)).toMatchObject({
    paused: false,
  });
  expect((await run(['uploads', 'cancel', workflowId])).exit).toBe(0);
  letGo();
  expect((await run(['uploads', 'wait', workflowId])).exit).toBe(12);
  for (const word of ['pause', 'resume', 'cancel']) {
    const { exit, stdout, stderr } = await run(['uploads', word, workflowId, 'upload/nobody/knows']);
    expect({ exit, stdout }).toEqual({ exit: 5, stdout: '' });
    expect(stderr).toContain(`${workflowId} has already ended (CANCELLED)`);
    expect(stderr).toContain('What to do: Its result tells how it went');
    expect(stderr).toContain('knows no such upload: upload/nobody/knows');
  }
});

it('uploads cancel --all cancels every upload that runs, but no rows of batches', async () => {
  const ids = (await startHeld(['one.mp4', 'two.mp4', 'three.mp4'])).sort();
  // Temporal's index lags behind.
  let cancelled: Line[] = [];
  while (cancelled.length < ids.length)
    cancelled = linesOf(await run(['uploads', 'pause', '--all', '--json']));
  cancelled = linesOf(await run(['uploads', 'cancel', '--all', '--json']));
  letGo();
  expect(cancelled.map(({ workflowId }) => workflowId).sort()).toEqual(ids);
  expect((await run(['uploads', 'wait', ...ids])).exit).toBe(12);
  let stderr = '';
  while (!stderr.includes('No upload')) ({ stderr } = await run(['uploads', 'cancel', '--all']));
  expect(stderr).toBe('No upload of this account runs.\n');
});

it.each([
  ['no id and no --all', []],
  ['ids and --all', ['upload/acme/1', '--all']],
])('uploads cancel refuses %s', async (_label, words) => {
  const { exit, stderr } = await run(['uploads', 'cancel', ...words]);
  expect(exit).toBe(2);
  expect(stderr).toContain('Name uploads, or give --all.');
});
