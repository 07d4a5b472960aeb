import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AccountLine, BatchCounts } from '../../temporal/contract/batch';
import { commandEnv, buildCommand, runCommand, startCommand } from '../support/command';
import type { CommandEnd, RunningCommand } from '../support/command';
import { useBucket } from '../support/s3-bucket';
import { sharedS3 } from '../support/servers';
import { openUploadBed, type UploadBed } from '../support/upload-bed';

const bucket = useBucket();
let bed: UploadBed;
let env: Record<string, string>;

beforeAll(async () => {
  await buildCommand();
  bed = await openUploadBed();
  await bed.startWorker({ s3: bucket.settings });
  env = {
    ...commandEnv(bed),
    MEDIA_SERVICE_SOURCE_HOSTS: '127.0.0.1',
    ...s3Env(),
  };
});
afterAll(() => bed.close());

function s3Env(): Record<string, string> {
  const { accessKey, secretKey, endpoint, region } = sharedS3();
  return {
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    MEDIA_SERVICE_S3_ENDPOINT: endpoint,
    MEDIA_SERVICE_S3_REGION: region,
  };
}

function run(words: readonly string[], change: Record<string, string> = {}): Promise<CommandEnd> {
  return runCommand(['batch', ...words], { cwd: bed.folder, env: { ...env, ...change } });
}

function start(words: readonly string[]): Promise<RunningCommand> {
  return startCommand(['batch', ...words], { cwd: bed.folder, env });
}

interface Line {
  readonly batchId: string;
  readonly workflowId: string;
  readonly joined: boolean;
  readonly phase: string;
  readonly rows: number;
  readonly round: number;
  readonly counts: BatchCounts;
  readonly account: { readonly jsonl: string; readonly csv: string; readonly failed?: string };
}

function linesOf<T = Line>({ stdout }: CommandEnd): T[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

function lastLine(ended: CommandEnd): Line {
  const last = linesOf(ended).at(-1);
  if (last === undefined) throw new Error(`Nothing on stdout; stderr: ${ended.stderr}`);
  return last;
}

/** A manifest of so many files, which are written as well. */
async function writeManifest(name: string, rows: number): Promise<string[]> {
  const files = Array.from({ length: rows }, (_, index) => `${name}-${String(index + 1)}.mp4`);
  for (const [index, file] of files.entries()) {
    await writeFile(join(bed.folder, file), `${file} ${'x'.repeat(index)}`);
  }
  const lines = files.map((file) => `${file},${file},Film ${file}\n`);
  await writeFile(join(bed.folder, `${name}.csv`), `source,id,title\n${lines.join('')}`);
  return files;
}

const HASTY = ['--heartbeat', '10s', '--page-rows', '4', '--window', '4'];

describe('batch start --watch --json', () => {
  it('tells how it goes on, and ends with counts and an account that agree with the service', async () => {
    const files = await writeManifest('whole', 10);
    const ended = await run(['start', 'whole.csv', '--watch', '--json', ...HASTY]);
    expect(ended).toMatchObject({ exit: 0, stderr: '' });
    const result = lastLine(ended);
    expect(result).toMatchObject({
      phase: 'ended',
      joined: false,
      round: 1,
      counts: { rows: 10, completed: 10, failed: 0, running: 0, waiting: 0 },
    });
    const account = await readFile(result.account.jsonl, 'utf8');
    const lines = account
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AccountLine);
    expect(lines.map(({ id }) => id)).toEqual(files);
    for (const { uploadId } of lines) expect(bed.session(uploadId).completesAccepted).toBe(1);
    expect(result.account.csv).toContain(join('media-service-batches', result.batchId));
  });

  it('joins the batch of the same command: once it has ended, its result', async () => {
    await writeManifest('twice', 3);
    const first = lastLine(await run(['start', 'twice.csv', '--watch', '--json', ...HASTY]));
    const before = bed.simulator.seen().starts;
    const second = lastLine(await run(['start', 'twice.csv', '--json', ...HASTY]));
    expect(second).toMatchObject({ batchId: first.batchId, joined: true, round: 1, phase: 'ended' });
    expect(bed.simulator.seen().starts).toBe(before);
  });
});

it('a folder that is planned and started once more uploads what has come into it since, wherever that sorts', async () => {
  const names = ['dawn', 'dusk', 'noon', 'rain', 'snow'];
  const bring = async (some: readonly string[]): Promise<void> => {
    await mkdir(join(bed.folder, 'day'), { recursive: true });
    for (const name of some) await writeFile(join(bed.folder, 'day', `${name}.mp4`), name);
    const planned = await run(['plan', 'day', '--title', '--output', 'day.csv', '--force']);
    expect(planned.exit).toBe(0);
  };
  const command = ['start', 'day.csv', '--watch', '--json', ...HASTY];
  await bring(['dusk', 'rain']);
  const first = lastLine(await run(command));
  expect(first).toMatchObject({ round: 1, counts: { rows: 2, completed: 2 } });
  await bring(['dawn', 'noon', 'snow']);
  const second = lastLine(await run(command));
  expect(second).toMatchObject({
    batchId: first.batchId,
    joined: false,
    round: 2,
    counts: { rows: 5, completed: 5, earlier: 2 },
  });
  const sessions = bed.simulator
    .seen()
    .sessions.flatMap(({ title }) => names.filter((name) => name === title));
  expect(sessions.sort()).toEqual(names);
  const account = linesOf<AccountLine>(await run(['report', first.batchId, '--json']));
  expect(account.map(({ line, source }) => [line, source])).toEqual([
    [3, 'day/dusk.mp4'],
    [5, 'day/rain.mp4'],
    [2, 'day/dawn.mp4'],
    [4, 'day/noon.mp4'],
    [6, 'day/snow.mp4'],
  ]);
  const whole = await readFile(join(bed.folder, 'day.csv'), 'utf8');
  await rm(join(bed.folder, 'day', 'noon.mp4'));
  await bring([]);
  const refused = await run(['start', 'day.csv', ...HASTY]);
  expect(refused.exit).toBe(13);
  expect(refused.stderr).toContain('(line 4 of the earlier manifest: day/noon.mp4, "noon") is missing');
  expect(refused.stderr).not.toContain('The account is written');
  await writeFile(join(bed.folder, 'day.csv'), whole);
  const gone = await run(['start', 'day.csv', ...HASTY]);
  expect(gone).toMatchObject({ exit: 2, stdout: '' });
  expect(gone.stderr).toMatch(/line 4, source: .*day\/noon\.mp4 does not exist/);
  expect(gone.stderr).toMatch(/What to do: .*start it with --no-check/);
  const kept = await run([...command, '--no-check']);
  expect(lastLine(kept).counts).toMatchObject({ rows: 5, completed: 5, earlier: 5 });
});

it('start --watch says where the account is written', async () => {
  await writeManifest('where', 1);
  const { exit, stderr } = await run(['start', 'where.csv', '--watch', ...HASTY]);
  expect(exit).toBe(0);
  expect(stderr).toContain(
    `The results are written to ${join(bed.folder, 'media-service-batches', 'where-')}`,
  );
});

it('show, report and list find a batch that has ended', async () => {
  await writeManifest('found', 2);
  const { batchId, workflowId } = lastLine(await run(['start', 'found.csv', '--watch', '--json', ...HASTY]));
  const shown = await run(['show', batchId]);
  expect(shown).toMatchObject({ exit: 0, stderr: '' });
  expect(shown.stdout).toContain(`${batchId}: ended, round 1`);
  expect(shown.stdout).toContain('100% of 2 rows: 2 completed');
  const table = await run(['report', batchId]);
  expect(table.stdout.split('\n')[0]).toContain('line,id,source,status');
  expect(linesOf<AccountLine>(await run(['report', batchId, '--json'])).map(({ status }) => status)).toEqual([
    'COMPLETED',
    'COMPLETED',
  ]);
  // Temporal's index lags behind.
  let listed: readonly { readonly workflowId: string }[] = [];
  while (!listed.some((one) => one.workflowId === workflowId))
    listed = linesOf(await run(['list', '--json', '--limit', '100']));
});

describe('failed rows', () => {
  it('end with 16, are shown by their error, come out as a manifest, and are uploaded by retry-failed', async () => {
    const files = await writeManifest('poison', 5);
    bed.simulator.fault('processing-failed:codec not supported');
    const first = await run(['start', 'poison.csv', '--watch', '--json', ...HASTY]);
    expect(first.exit).toBe(16);
    const { batchId, counts, account } = lastLine(first);
    expect(counts).toMatchObject({ rows: 5, completed: 4, failed: 1 });
    expect(await readFile(account.failed ?? '', 'utf8')).toContain('source,');
    const shown = await run(['show', batchId]);
    expect(shown.stdout).toContain('Failed with ProcessingFailed: 1 row');
    expect(shown.stdout).toContain('codec not supported');
    expect(shown.stdout).toContain(`media-service batch retry-failed ${batchId}`);
    const failed = linesOf<{ source: string }>(await run(['report', batchId, '--failed', '--json']));
    expect(failed).toHaveLength(1);
    expect(files.map((file) => join(bed.folder, file))).toContain(failed[0]?.source);
    expect((await run(['report', batchId, '--failed', '-o', 'failed.csv'])).exit).toBe(0);
    expect((await stat(join(bed.folder, 'failed.csv'))).mode & 0o777).toBe(0o600);
    const alone = await run(['start', account.failed ?? '', '--watch', '--json', ...HASTY]);
    expect(alone.exit).toBe(0);
    expect(lastLine(alone)).toMatchObject({ counts: { rows: 1, completed: 1 } });
    const again = await run(['start', 'poison.csv', '--json', ...HASTY]);
    expect(again.exit).toBe(16);
    expect(lastLine(again)).toMatchObject({ joined: true, counts: { failed: 1 } });
    const retried = await run(['retry-failed', batchId, '--watch', '--json']);
    expect(retried.exit).toBe(0);
    expect(lastLine(retried)).toMatchObject({ round: 2, counts: { completed: 5, earlier: 4, failed: 0 } });
  });
});

it('pause, resume and cancel control a batch that runs; started again it goes on with what is missing', async () => {
  await writeManifest('steered', 6);
  bed.simulator.fault('processing-stuck');
  const after = lastSeq();
  const begun = await run(['start', 'steered.csv', '--json', ...HASTY]);
  expect(begun.exit).toBe(0);
  const { batchId, workflowId, rows } = lastLine(begun);
  expect(rows).toBe(6);
  await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > after);
  expect(linesOf(await run(['pause', batchId, '--json']))).toEqual([{ workflowId, requested: 'pause' }]);
  expect(JSON.parse((await run(['show', batchId, '--json'])).stdout)).toMatchObject({
    phase: 'paused',
    status: 'RUNNING',
  });
  expect((await run(['resume', batchId])).stdout).toBe(`${batchId}: resume requested\n`);
  expect(JSON.parse((await run(['show', batchId, '--json'])).stdout)).not.toMatchObject({ phase: 'paused' });
  const joined = await run(['start', 'steered.csv', '--json', ...HASTY]);
  expect(lastLine(joined)).toMatchObject({ batchId, joined: true });
  const soFar = await run(['report', batchId, '--json']);
  expect(soFar.stderr).toContain('of 6 rows');
  await run(['cancel', batchId]);
  const watched = await run(['watch', batchId, '--json']);
  bed.simulator.release();
  expect(watched.exit).toBe(12);
  const again = await run(['start', 'steered.csv', '--watch', '--json', ...HASTY]);
  expect(again.exit).toBe(0);
  expect(lastLine(again)).toMatchObject({ batchId, round: 2, counts: { rows: 6, completed: 6 } });
  for (const word of ['pause', 'resume', 'cancel']) {
    const refused = await run([word, batchId]);
    expect(refused.exit).toBe(5);
    expect(refused.stderr).toMatch(/has already ended \(COMPLETED\).*\n {2}What to do: Its account tells/);
  }
});

it('a manifest to which rows were added goes on with them; one with other rows is refused with what differs', async () => {
  await writeManifest('grown', 3);
  const { batchId } = lastLine(await run(['start', 'grown.csv', '--watch', '--json', ...HASTY]));
  await writeFile(join(bed.folder, 'late.mp4'), 'late');
  await appendFile(join(bed.folder, 'grown.csv'), 'late.mp4,late,Late\n');
  const grown = await run(['start', 'grown.csv', '--watch', '--json', ...HASTY]);
  expect(grown.exit).toBe(0);
  expect(lastLine(grown)).toMatchObject({ batchId, round: 2, counts: { rows: 4, completed: 4, earlier: 3 } });
  const text = await readFile(join(bed.folder, 'grown.csv'), 'utf8');
  await writeFile(join(bed.folder, 'grown.csv'), text.replace('Film grown-2.mp4', 'Another film'));
  const changed = await run(['start', 'grown.csv', '--watch', '--json', ...HASTY]);
  expect(changed.exit).toBe(13);
  expect(JSON.parse(changed.stderr)).toMatchObject({
    error: { code: 'InputDiffers', message: expect.stringContaining('line 3') },
  });
});

it('Ctrl-C once detaches with the command that sees the batch again, and the batch goes on', async () => {
  await writeManifest('detached', 2);
  bed.simulator.fault('processing-stuck');
  const after = lastSeq();
  const command = await start(['start', 'detached.csv', '--watch', ...HASTY]);
  await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > after);
  command.signal('SIGINT');
  const { exit, stderr } = await command.ended;
  expect(exit).toBe(130);
  const [, batchId] = /media-service batch watch (\S+)/.exec(stderr) ?? [];
  bed.simulator.release();
  const watched = await run(['watch', batchId ?? '']);
  expect(watched.exit).toBe(0);
  expect(watched.stdout).toMatch(/: ended, 2 rows: 2 completed, /);
});

it('Ctrl-C while the plan is awaited says how to see the batch again, and the batch goes on', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const manifest = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}/away.csv`;
  const command = await start(['start', manifest, '--id', 'hurried', '--no-check']);
  // It awaits the plan by then, and goes on for as long again.
  await command.until('Still waiting until a worker has read the manifest');
  command.signal('SIGINT');
  const { exit, stderr } = await command.ended;
  expect(exit).toBe(130);
  expect(stderr).toContain('Detached: the batch continues without this terminal.');
  expect(stderr).toContain('media-service batch watch hurried\n');
  expect((await run(['cancel', 'hurried'])).exit).toBe(0);
  silent.closeAllConnections();
  silent.close();
});

it('a manifest on stdin is copied into the folder', async () => {
  await writeFile(join(bed.folder, 'piped.mp4'), 'piped');
  const words = ['batch', 'start', '-', '--watch', '--json', '--to', 'piped', ...HASTY];
  const ended = await runCommand(words, { cwd: bed.folder, env, stdin: '{"source":"piped.mp4"}\n' });
  expect(ended).toMatchObject({ exit: 0, stderr: '' });
  const { batchId } = lastLine(ended);
  expect(batchId).toMatch(/^stdin-[0-9a-f]{8}$/);
  const copy = join(bed.folder, 'piped', `manifest-${batchId.slice('stdin-'.length)}.jsonl`);
  expect(await readFile(copy, 'utf8')).toBe('{"source":"piped.mp4"}\n');
});

it('manifest, files and account in S3 need no worker on this machine', async () => {
  await bucket.put('films/one.mp4', 'one');
  await bucket.put('harbour.jsonl', `{"source":"s3://${bucket.name}/films/one.mp4","id":"one"}\n`);
  const to = `s3://${bucket.name}/batches/harbour`;
  const elsewhere = { MEDIA_SERVICE_HOST: 'elsewhere' };
  const words = ['start', `s3://${bucket.name}/harbour.jsonl`, '--to', to, '--watch', '--json', ...HASTY];
  const ended = await run(words, elsewhere);
  expect(ended.exit).toBe(0);
  const { batchId, account } = lastLine(ended);
  expect(account.jsonl).toBe(`${to}/account.jsonl`);
  const lines = linesOf<AccountLine>(await run(['report', batchId, '--json'], elsewhere));
  expect(lines).toMatchObject([{ id: 'one', status: 'COMPLETED', bytes: 3 }]);
});

it('a manifest behind a URL is read by the workers, and its query shown nowhere', async () => {
  await writeManifest('served', 2);
  const { url } = await bed.serveFile(join(bed.folder, 'served.csv'), 'token=hush');
  const ended = await run(['start', String(url), '--watch', '--json', ...HASTY]);
  expect(ended).toMatchObject({ exit: 0, stderr: '' });
  expect(lastLine(ended).counts).toMatchObject({ completed: 2 });
  const shown = await run(['show', lastLine(ended).batchId]);
  expect(shown.stdout).toContain('served.csv');
  expect(shown.stdout + ended.stdout).not.toContain('hush');
});

it('a bucket that is not there is told while the batch is planned', async () => {
  await writeManifest('unreachable', 1);
  const away = `no-such-bucket-${bucket.name}`;
  const { exit, stderr } = await run(['start', 'unreachable.csv', '--to', `s3://${away}/x`, '--json']);
  expect(exit).toBe(9);
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      code: 'SourceMissing',
      message: `the bucket ${away} does not exist (S3 at ${bucket.settings.endpoint ?? ''})`,
      hint: 'Check the name and MEDIA_SERVICE_S3_ENDPOINT.',
    },
  });
});

describe('nothing is started', () => {
  it('where rows are wrong: all of them are told at once', async () => {
    const text = 'source,id,resolution\nmissing.mp4,a,HIGH\nthere.mp4,b,HUGE\n';
    await writeFile(join(bed.folder, 'there.mp4'), 'there');
    await writeFile(join(bed.folder, 'wrong.csv'), text);
    const { exit, stdout, stderr } = await run(['start', 'wrong.csv']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/line 2, source: .*missing\.mp4 does not exist/);
    expect(stderr).toMatch(/line 3, resolution: /);
    expect(stderr).toContain('The manifest has 2 mistakes: nothing was started.');
    expect(stderr).not.toContain('--no-check');
  });

  it('where there are no rows', async () => {
    await writeFile(join(bed.folder, 'empty.csv'), 'source,id\n');
    const { exit, stderr } = await run(['start', 'empty.csv']);
    expect(exit).toBe(2);
    expect(stderr).toContain('no rows');
  });

  it('where the manifest is not there', async () => {
    const { exit, stderr } = await run(['start', 'nowhere.csv']);
    expect(exit).toBe(9);
    expect(stderr).toContain('nowhere.csv');
  });

  it('with --require-worker where no worker serves the queue of this machine: it is named, with both ways out', async () => {
    await writeManifest('alone', 1);
    const elsewhere = { MEDIA_SERVICE_HOST: 'elsewhere' };
    const { exit, stderr } = await run(['start', 'alone.csv', '--require-worker'], elsewhere);
    expect(exit).toBe(8);
    expect(stderr).toContain(`${bed.queuePrefix}.${bed.accountId}.transfer@elsewhere`);
    expect(stderr).toContain('--shared-path');
  });
});

it('is started without a worker, with a warning; a worker that comes later uploads it', async () => {
  await writeManifest('early', 1);
  const later = { MEDIA_SERVICE_HOST: 'later' };
  const words = ['start', 'early.csv', '--id', 'early', '--to', 'early', '--json', ...HASTY];
  const started = await run(words, later);
  const queue = `${bed.queuePrefix}.${bed.accountId}.transfer@later`;
  expect(started.exit).toBe(0);
  expect(JSON.parse(started.stdout)).toMatchObject({
    batchId: 'early',
    joined: false,
    heldUpBy: { code: 'NoWorker', message: `No worker asks for work on ${queue}.` },
  });
  expect(JSON.parse(started.stderr)).toEqual({
    warning: {
      message: `No worker has asked for work on ${queue} yet`,
      hint: 'The batch starts when one does: run `media-service worker` on this machine.',
    },
  });
  const shown = await run(['show', 'early']);
  expect(shown.stdout).toContain(`early: planning (waiting: No worker asks for work on ${queue})`);
  const watching = await start(['watch', 'early']);
  await watching.until(`waiting: No worker asks for work on ${queue}`);
  await bed.startWorker({ host: 'later' });
  expect((await watching.ended).exit).toBe(0);
});

it('an output that workers may not write is an error at once', async () => {
  await writeManifest('outside', 1);
  const { exit, stderr } = await run(['start', 'outside.csv', '--to', '/proc/nowhere', '--json']);
  expect(exit).toBe(15);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'OutputFailed' } });
});

it('a running batch refuses another manifest and other options under its id', async () => {
  await writeManifest('mine', 2);
  await writeManifest('theirs', 2);
  bed.simulator.fault('processing-stuck');
  const after = lastSeq();
  await run(['start', 'mine.csv', '--id', 'shared', '--to', 'shared', '--json', ...HASTY]);
  await bed.simulator.waitFor(({ event, seq }) => event === 'held' && seq > after);
  const other = await run(['start', 'theirs.csv', '--id', 'shared', '--to', 'shared', '--json', ...HASTY]);
  expect(other.exit).toBe(13);
  expect(JSON.parse(other.stderr)).toMatchObject({
    error: { message: expect.stringContaining('manifest (there mine.csv, here theirs.csv)') },
  });
  const wider = await run(['start', 'mine.csv', '--id', 'shared', '--to', 'shared', '--window', '9']);
  expect(wider.exit).toBe(13);
  expect(wider.stderr).toContain('is running with other options (');
  const early = await run(['retry-failed', 'shared']);
  expect(early.exit).toBe(5);
  expect(early.stderr).toContain('still runs');
  bed.simulator.release();
  expect((await run(['watch', 'shared'])).exit).toBe(0);
});

it('a batch that nobody knows is said to be unknown', async () => {
  for (const word of ['show', 'retry-failed']) {
    const { exit, stderr } = await run([word, 'nobody-knows']);
    expect(exit).toBe(5);
    expect(stderr).toContain('knows no such batch');
  }
});

it('the account is read from its folder where Temporal no longer knows the batch', async () => {
  await writeManifest('kept', 1);
  await run(['start', 'kept.csv', '--id', 'kept', '--to', 'kept', '--watch', ...HASTY]);
  await rm(join(bed.folder, 'kept', 'account.jsonl'));
  const { stdout } = await run(['report', 'kept', '--to', 'kept', '--json'], {
    TEMPORAL_ADDRESS: '127.0.0.1:9',
  });
  expect(JSON.parse(stdout)).toMatchObject({ status: 'COMPLETED', id: 'kept-1.mp4' });
});

function lastSeq(): number {
  return bed.simulator.events().at(-1)?.seq ?? 0;
}
