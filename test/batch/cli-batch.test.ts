import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { BatchCounts } from '../../temporal/batch/types';
import { commandEnv, linesOf, runCommand, startCommand } from '../support/command';
import type { CommandEnd } from '../support/command';
import { listen } from '../support/listen';
import { nextHeld } from '../support/held';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

let fixture: UploadFixture;
let env: Record<string, string>;

beforeAll(async () => {
  fixture = await openUploadFixture();
  await fixture.startWorker();
  env = {
    ...commandEnv(fixture),
    MEDIA_SERVICE_TUNING: '{"heartbeatMs":10000,"pageRows":4}',
    MEDIA_SERVICE_SOURCE_HOSTS: '127.0.0.1',
  };
});
afterAll(() => fixture.close());

function run(words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(['batches', ...words], { cwd: fixture.folder, env: { ...env, ...change } });
}

interface Line {
  readonly batchId: string;
  readonly joined: boolean;
  readonly round: number;
  readonly counts: BatchCounts;
  readonly results: { readonly failed?: string };
}

/** The last line on stdout, and the exit code. */
function lastLine(ended: CommandEnd): Line & Pick<CommandEnd, 'exit'> {
  const last = linesOf<Line>(ended).at(-1);
  if (last === undefined) throw new Error(`Nothing on stdout; stderr: ${ended.stderr}`);
  return { ...last, exit: ended.exit };
}

/** Writes a manifest of `rows` files, and the files. */
async function writeManifest(name: string, rows: number): Promise<string[]> {
  const files = Array.from({ length: rows }, (_, index) => `${name}-${String(index + 1)}.mp4`);
  for (const file of files) await writeFile(join(fixture.folder, file), file);
  const lines = files.map((file) => `${file},${file},Film ${file}\n`);
  await writeFile(join(fixture.folder, `${name}.csv`), `source,id,title\n${lines.join('')}`);
  return files;
}

it('a folder that is planned and started again uploads only its new files, wherever they sort', async () => {
  const before = fixture.simulator.seen().starts;
  const bring = async (some: readonly string[]): Promise<void> => {
    await mkdir(join(fixture.folder, 'day'), { recursive: true });
    for (const name of some) await writeFile(join(fixture.folder, 'day', `${name}.mp4`), name);
    const planned = await run(['plan', 'day', '--output', 'day.csv']);
    expect(planned.exit).toBe(0);
  };
  const command = ['start', 'day.csv', '--wait', '--json'];
  await bring(['dusk', 'rain']);
  const first = lastLine(await run(command));
  expect(first).toMatchObject({
    ...{ exit: 0, phase: 'ended', joined: false, round: 1 },
    counts: { rows: 2, completed: 2, failed: 0, running: 0, waiting: 0 },
  });
  await bring(['dawn', 'noon', 'snow']);
  const second = lastLine(await run(command));
  expect(second).toMatchObject({
    batchId: first.batchId,
    joined: false,
    round: 2,
    counts: { rows: 5, completed: 5, earlier: 2 },
  });
  expect(fixture.simulator.seen().starts - before).toBe(5);
  const manifest = await readFile(join(fixture.folder, 'day.csv'), 'utf8');
  await rm(join(fixture.folder, 'day', 'noon.mp4'));
  await bring([]);
  const refused = await run(['start', 'day.csv']);
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain('(line 4 of the earlier manifest: day/noon.mp4) is missing');
  expect(refused.stderr).not.toContain('The results are written');
  expect((await run(['show', first.batchId])).stdout).toMatch(/: failed: .*day\/noon\.mp4\) is missing/);
  await writeFile(join(fixture.folder, 'day.csv'), manifest);
  expect(lastLine(await run(command)).counts).toMatchObject({ rows: 5, completed: 5, earlier: 5 });
});

it('failed rows end the command with 5, are shown by error, can be written as a manifest, and are uploaded by retry', async () => {
  const files = await writeManifest('poison', 5);
  fixture.simulator.fault('processing-failed:codec not supported');
  const start = ['start', 'poison.csv', '--wait', '--json'];
  const { exit, batchId, counts, results } = lastLine(await run(start));
  expect({ exit, counts }).toMatchObject({ exit: 5, counts: { rows: 5, completed: 4, failed: 1 } });
  const shown = await run(['show', batchId]);
  expect(shown.stdout).toMatch(/^ {2}Failed with ProcessingFailed: 1 row\n.*codec not supported/m);
  const failed = linesOf<{ source: string }>(await run(['results', batchId, '--failed', '--json']));
  expect(failed).toHaveLength(1);
  expect(files.map((file) => join(fixture.folder, file))).toContain(failed[0]?.source);
  const csv = await run(['results', batchId, '--failed']);
  expect(await run(['results', batchId, '--failed', '-o', '-'])).toEqual(csv);
  expect((await run(['results', batchId, '--failed', '-o', 'failed.csv'])).exit).toBe(0);
  expect((await stat(join(fixture.folder, 'failed.csv'))).mode & 0o777).toBe(0o600);
  const alone = await run(['start', results.failed ?? '', '--wait', '--json']);
  expect(lastLine(alone)).toMatchObject({ exit: 0, counts: { rows: 1, completed: 1 } });
  expect(lastLine(await run(start))).toMatchObject({ exit: 5, round: 2, counts: { failed: 1 } });
  const retried = lastLine(await run(['retry', batchId, '--wait', '--json']));
  expect(retried).toMatchObject({ exit: 0, round: 3, counts: { completed: 5, earlier: 4, failed: 0 } });
  const needless = await run(['retry', batchId]);
  expect([needless.exit, needless.stdout]).toEqual([0, '']);
  expect(needless.stderr).toBe(`${batchId}: no row failed or was cancelled, so there is nothing to retry.\n`);
});

it('pause, resume and cancel control a running batch; started again, it uploads what is missing', async () => {
  await writeManifest('controlled', 6);
  fixture.simulator.fault('processing-stuck');
  const held = nextHeld(fixture.simulator);
  const begun = await run(['start', 'controlled.csv']);
  const [, batchId = ''] = /^(controlled-\S+): started, 6 rows\n$/.exec(begun.stdout) ?? [];
  const results = join(fixture.folder, 'media-service-batches', batchId);
  expect(begun).toMatchObject({ exit: 0, stderr: expect.stringContaining(`are written to ${results};`) });
  const workflowId = `batch/${fixture.accountId}/${batchId}`;
  await held();
  expect(linesOf(await run(['pause', batchId, '--json']))).toEqual([{ workflowId, requested: 'pause' }]);
  const paused = linesOf(await run(['show', batchId, '--json']));
  expect(paused).toMatchObject([{ phase: 'paused', status: 'RUNNING' }]);
  expect((await run(['resume', batchId])).stdout).toBe(`${batchId}: resume requested\n`);
  expect(JSON.parse((await run(['show', batchId, '--json'])).stdout)).not.toMatchObject({ phase: 'paused' });
  const start = ['start', 'controlled.csv', '--json'];
  expect(lastLine(await run(start))).toMatchObject({ batchId, joined: true });
  const soFar = await run(['results', batchId, '--json']);
  expect(soFar.stderr).toContain('of 6 rows');
  const cancelled = await until(
    'the batch is listed as running',
    () => run(['cancel', '--all']),
    ({ stdout }) => stdout.includes(batchId),
  );
  expect(cancelled).toMatchObject({ exit: 0, stdout: `${batchId}: cancel requested\n` });
  const watched = await run(['wait', batchId, '--json']);
  fixture.simulator.release();
  expect(watched.exit).toBe(5);
  const again = lastLine(await run([...start, '--wait']));
  expect(again).toMatchObject({ exit: 0, batchId, round: 2, counts: { rows: 6, completed: 6 } });
  const refused = await run(['pause', batchId]);
  expect(refused.exit).toBe(5);
  expect(refused.stderr).toContain(`The batch ${workflowId} has ended (COMPLETED), so it can't be paused`);
  expect(refused.stderr).toContain(`See its results with \`media-service batches show ${workflowId}\`.`);
});

it('start --skip-bad uploads the right rows, and the wrong ones end as failed; corrected, they are uploaded', async () => {
  await writeManifest('skips', 2);
  const manifest = join(fixture.folder, 'skips.csv');
  const text = await readFile(manifest, 'utf8');
  await writeFile(join(fixture.folder, 'late.mp4'), 'late');
  await writeFile(manifest, `${text}late.what,late,Late\n`);
  const words = ['start', 'skips.csv', '--skip-bad', '--wait', '--json'];
  const first = lastLine(await run(words));
  expect(first).toMatchObject({ exit: 5, counts: { rows: 3, completed: 2, failed: 1 } });
  await writeFile(manifest, `${text}late.mp4,late,Late\n`);
  const second = lastLine(await run(words));
  expect(second).toMatchObject({ exit: 0, counts: { rows: 3, completed: 3, failed: 0, earlier: 2 } });
});

it('Ctrl-C during the plan says how to see the batch again, and the batch continues', async () => {
  // Only the command's own check gets the manifest.
  const silent = createServer((_request, response) => {
    response.end('source\nnone.mp4\n');
    silent.removeAllListeners('request');
    silent.once('request', () => silent.emit('asked'));
  });
  const { url, close } = await listen(silent);
  const asked = once(silent, 'asked');
  await writeFile(join(fixture.folder, 'none.mp4'), 'film');
  const words = ['batches', 'start', `${url}/away.csv`, '--id', 'hurried'];
  const command = startCommand(words, { cwd: fixture.folder, env, hasty: true });
  // Now the command waits for the plan.
  await asked;
  command.signal('SIGINT');
  const { exit, stderr } = await command.ended;
  expect(exit).toBe(130);
  expect(stderr).toMatch(/Detached: the batch continues without this terminal\.[^]* wait hurried\n/);
  expect((await run(['cancel', 'hurried'])).exit).toBe(0);
  await close();
});

it('batches start starts nothing if rows are wrong, and reports all of them at once', async () => {
  const text = 'source,id,resolution\nmissing.mp4,a,HIGH\nthere.mp4,b,HUGE\n';
  await writeFile(join(fixture.folder, 'wrong.csv'), text);
  const { exit, stdout, stderr } = await run(['start', 'wrong.csv']);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toMatch(/line 2, source: .*missing\.mp4 does not exist/);
  expect(stderr).toMatch(/line 3, resolution: /);
  expect(stderr).toContain('The manifest has 2 mistakes: nothing was started.');
});

it('a batch without a worker starts with a warning, and a worker that comes later uploads it', async () => {
  await writeManifest('early', 1);
  const later = { MEDIA_SERVICE_HOST: 'later' };
  const words = ['start', 'early.csv', '--id', 'early', '--results', 'early', '--json'];
  const started = await run(words, later);
  const queue = `${fixture.queuePrefix}.${fixture.accountId}.transfer@later`;
  expect(started.exit).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({
    batchId: 'early',
    joined: false,
    waitReason: { code: 'NoWorker', message: `No worker serves the task queue ${queue}.` },
  });
  expect(JSON.parse(started.stderr)).toEqual({
    warning: {
      message: `No worker serves the task queue ${queue} yet`,
      hint: 'The batch starts when a worker does. Run `media-service worker` on later.',
    },
  });
  const shown = await run(['show', 'early']);
  expect(shown).toMatchObject({ exit: 0, stderr: '' });
  expect(shown.stdout).toContain(`early: planning (waiting: No worker serves the task queue ${queue})`);
  const watching = startCommand(['batches', 'wait', 'early'], { cwd: fixture.folder, env });
  await watching.until(`early: Waiting: No worker serves the task queue ${queue}`);
  await fixture.startWorker({ host: 'later' });
  expect((await watching.ended).exit).toBe(0);
});

it('a running batch refuses another manifest or other options under its ID', async () => {
  await writeManifest('mine', 2);
  await writeManifest('theirs', 2);
  fixture.simulator.fault('processing-stuck');
  const held = nextHeld(fixture.simulator);
  const start = (manifest: string, ...more: string[]): Promise<CommandEnd> =>
    run(['start', manifest, '--id', 'shared', '--results', 'shared', '--json', ...more]);
  await start('mine.csv');
  await held();
  for (const [refused, exit, why] of [
    [await start('theirs.csv'), 2, 'manifest (there mine.csv, here theirs.csv)'],
    [await start('mine.csv', '--parallel-uploads', '9'), 2, 'is running with other options.'],
    [await run(['retry', 'shared']), 5, 'still runs'],
  ] as const)
    expect(refused).toMatchObject({ exit, stderr: expect.stringContaining(why) });
  fixture.simulator.release();
  expect((await run(['wait', 'shared'])).exit).toBe(0);
});
