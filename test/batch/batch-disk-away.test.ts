import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveBatch } from '../../temporal/batch/client/live-batch';
import {
  batchFolder,
  expectOnce,
  movedTo,
  progressWhen,
  resultsOfBatch,
  startRows,
  untilWaiting,
  writeRows,
} from '../support/batch-fixture';
import { processingHeld } from '../support/held';
import { seenEvents } from '../support/seen-events';
import { useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });
let stop: () => Promise<void>;
afterEach(() => stop());

it('a batch whose files are on a share that goes away while it runs waits, says what it waits for, and completes every row once the share is back', async () => {
  const { fixture } = on;
  const share = join(fixture.folder, 'share');
  const rows = await movedTo(share, await writeRows(fixture, 'away', 60));
  stop = await fixture.startWorker({ roots: [share] });
  const some = seenEvents(fixture.simulator, { event: 'complete-accepted', count: 5 });
  const batch = await startRows(fixture, 'away', rows, { options: { pageRows: 20, parallelUploads: 4 } });
  // Progress can be seconds old, when all rows may have ended.
  await some;
  await rename(share, `${share}-elsewhere`);
  const waiting = await progressWhen(
    batch,
    ({ waitReason }: LiveBatch) => waitReason?.code === 'SourceUnavailable',
  );
  expect(waiting).toMatchObject({
    phase: 'uploading',
    counts: { failed: 0 },
    waitReason: {
      message: expect.stringContaining(`the folder ${share} is not there`),
      hint: expect.stringContaining('Mount its disk or network share again'),
    },
  });
  await rename(`${share}-elsewhere`, share);
  expect((await batch.result()).counts).toMatchObject({ rows: 60, completed: 60 });
  expectOnce(fixture, rows);
});

it('a batch whose own folder is on a share that goes away while it runs makes no folder at its path, and its results are complete once the share is back', async () => {
  const { fixture } = on;
  const out = join(fixture.folder, 'out');
  await mkdir(out);
  const rows = await writeRows(fixture, 'written', 12);
  stop = await fixture.startWorker({ outputRoots: [out] });
  const folder = { kind: 'path', path: join(out, 'written') } as const;
  fixture.simulator.fault('processing-stuck:1');
  const options = { pageRows: 4, parallelUploads: 4 };
  const batch = await startRows(fixture, 'written', rows, { folder, options });
  await progressWhen(batch, ({ counts }) => counts.completed >= 1);
  await rename(out, `${out}-elsewhere`);
  fixture.simulator.release();
  const waiting = await untilWaiting(batch);
  expect(waiting).toMatchObject({
    waitReason: { message: expect.stringContaining(`the folder ${out} is not there`) },
  });
  expect(await readdir(fixture.folder)).not.toContain('out');
  await rename(`${out}-elsewhere`, out);
  expect((await batch.result()).counts).toMatchObject({ rows: 12, completed: 12 });
  await rename(folder.path, batchFolder(fixture, 'written'));
  const lines = await resultsOfBatch(fixture, 'written');
  expect(lines.map(({ status }) => status)).toEqual(rows.map(() => 'COMPLETED'));
});

it('a batch whose disk is full while it runs waits, says so, and uploads every row once when there is room again', async () => {
  const { fixture } = on;
  const worker = await fixture.startWorkerProcess();
  stop = async () => {
    await worker.kill('SIGKILL');
  };
  // A file size limit is what a full disk is to this worker: it can write nothing.
  const limitFiles = (bytes: number | 'unlimited'): Buffer =>
    execFileSync('prlimit', ['--pid', `${worker.pid}`, `--fsize=${bytes}:unlimited`]);
  const rows = await writeRows(fixture, 'full', 12);
  const held = processingHeld(fixture.simulator, 4);
  const batch = await startRows(fixture, 'full', rows, { options: { pageRows: 4, parallelUploads: 4 } });
  await held;
  limitFiles(0);
  fixture.simulator.release();
  const waiting = await untilWaiting(batch);
  expect(waiting).toMatchObject({
    counts: { failed: 0 },
    waitReason: {
      code: 'OutputFailed',
      message: expect.stringMatching(/can't be written: the file would be larger than/),
    },
  });
  limitFiles('unlimited');
  expect((await batch.result()).counts).toMatchObject({ rows: 12, completed: 12, failed: 0 });
  expectOnce(fixture, rows);
});
