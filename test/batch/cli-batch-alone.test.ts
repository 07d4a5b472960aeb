import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createS3 } from '../../files/s3/s3-client';
import type { ManifestRow } from '../../manifest/row';
import { journalFile, rowsFile, writeLines } from '../../temporal/batch/files/batch-files';
import { plannedRow } from '../../temporal/batch/files/planned-row';
import { writePlan } from '../../temporal/batch/files/stored-plan';
import { controlQueue } from '../../temporal/upload/types';
import { sealKeysOf } from '../../temporal/seal';
import { batchFolder, startRows } from '../support/batch-fixture';
import { commandEnv, runCommand } from '../support/command';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

let fixture: UploadFixture;
let options: { readonly cwd: string; readonly env: Record<string, string> };
let nobody: string;

beforeAll(async () => {
  fixture = await openUploadFixture();
  const env = commandEnv(fixture);
  options = { cwd: fixture.folder, env };
  nobody = `No worker serves the task queue ${controlQueue(fixture.queuePrefix, fixture.accountId)}.`;
  await startRows(fixture, 'alone', [{ id: 'a', source: join(fixture.folder, 'a.mp4') }]);
});
afterAll(() => fixture.close());

/** Writes what former workers left in the folder: three rows, one of which has ended. */
async function leaveFolder(): Promise<void> {
  const folder = { kind: 'path', path: batchFolder(fixture, 'alone') } as const;
  const access = { outputRoots: [fixture.folder], roots: [], s3: createS3() };
  const rows = ['a', 'b', 'c'].map((id, index): ManifestRow => ({
    line: index + 1,
    id,
    source: `${id}.mp4`,
    media: { fileType: 'MP4' },
  }));
  const key = sealKeysOf(fixture.account.secretKey);
  await writeLines(
    access,
    rowsFile(folder, 0),
    rows.map((row) => plannedRow(row, key)),
  );
  const ended = { line: 1, id: 'a', source: 'a.mp4', status: 'COMPLETED', bytes: 2_000_000, round: 1 };
  const line = { ...ended, workflowId: 'w', attempts: 1, orphans: [], endedAt: new Date().toISOString() };
  await writeLines(access, journalFile(folder, { page: 0, round: 1, turn: 1, attempt: 1 }, 0), [line]);
  const pages = [{ rows: 3, digest: 'd', round: 1 }];
  await writePlan(access, folder, { accountId: 'acme', batchId: 'alone', round: 1, startedBy: 'r', pages });
}

it('batch show says nothing of the folder of a batch that no worker has begun, since it does not exist yet', async () => {
  const shown = await runCommand(['batches', 'show', 'alone'], options);
  expect(shown).toMatchObject({ exit: 0, stderr: '' });
  expect(shown.stdout).toContain('alone: running (waiting');
});

it('batch show and batch results of a batch without workers say what is known', async () => {
  await leaveFolder();
  const shown = await runCommand(['batches', 'show', 'alone'], options);
  expect(shown).toMatchObject({ exit: 0, stderr: '' });
  expect(shown.stdout).toContain(`alone: running (waiting: ${nobody.replace(/\.$/, '')})`);
  const json = await runCommand(['batches', 'show', 'alone', '--json'], options);
  expect(JSON.parse(json.stdout)).toMatchObject({
    status: 'RUNNING',
    waitReason: { code: 'NoWorker', message: nobody },
  });
  const report = await runCommand(['batches', 'results', 'alone'], options);
  expect(report.stdout).toMatch(/^line,id,source,status,/);
  expect(report.stderr).toContain(
    '1 of 3 rows has a result here so far: a row that runs gets one when it ends',
  );
});
