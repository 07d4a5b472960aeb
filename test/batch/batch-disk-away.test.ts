import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import { accountOfBatch, batchFolder, progressWhen, startRows, writeRows } from '../support/batch-bed';
import type { BatchRow } from '../support/batch-bed';
import { useUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
let stop: () => Promise<void>;
afterEach(() => stop());

/** Rows whose files lie in a folder of their own, as on a share. */
async function rowsOn(bed: UploadBed, share: string, name: string, count: number): Promise<BatchRow[]> {
  await mkdir(share);
  const rows = await writeRows(bed, name, count);
  return Promise.all(
    rows.map(async (row) => {
      const source = join(share, `${row.id}.mp4`);
      await rename(row.source, source);
      return { ...row, source };
    }),
  );
}

describe('a batch whose files lie on a share that goes away while it runs', () => {
  it('waits, says for what, and completes every row once the share is back', async () => {
    const { bed } = on;
    const share = join(bed.folder, 'share');
    const rows = await rowsOn(bed, share, 'away', 60);
    stop = await bed.startWorker({ roots: [share] });
    const batch = await startRows(bed, 'away', rows, { options: { pageRows: 20 } });
    await progressWhen(batch, ({ counts }) => counts.completed >= 5);
    await rename(share, `${share}-elsewhere`);
    const waiting = await progressWhen(
      batch,
      ({ heldUpBy }: LiveBatch) => heldUpBy?.code === 'SourceUnavailable',
    );
    expect(waiting).toMatchObject({
      phase: 'uploading',
      counts: { failed: 0 },
      heldUpBy: {
        message: expect.stringContaining(`the folder ${share} is not there`),
        hint: expect.stringContaining('Mount its disk or network share again'),
      },
    });
    await rename(`${share}-elsewhere`, share);
    const { counts } = await batch.result();
    expect(counts).toMatchObject({ rows: 60, completed: 60, failed: 0, cancelled: 0 });
    const { sessions } = bed.simulator.seen();
    expect(sessions.filter(({ status }) => status === 'COMPLETED')).toHaveLength(60);
  });
});

describe('a batch whose own folder lies on a share that goes away while it runs', () => {
  it('makes no folder in its place, and its account is whole once the share is back', async () => {
    const { bed } = on;
    const out = join(bed.folder, 'out');
    await mkdir(out);
    const rows = await writeRows(bed, 'written', 12);
    stop = await bed.startWorker({ outputRoots: [out] });
    const folder = { kind: 'path', path: join(out, 'written') } as const;
    bed.simulator.fault('processing-stuck:1');
    const batch = await startRows(bed, 'written', rows, { folder, options: { pageRows: 4, window: 4 } });
    await progressWhen(batch, ({ counts }) => counts.completed >= 1);
    await rename(out, `${out}-elsewhere`);
    bed.simulator.release();
    const waiting = await progressWhen(batch, ({ heldUpBy }: LiveBatch) => heldUpBy !== undefined);
    expect(waiting).toMatchObject({
      heldUpBy: { message: expect.stringContaining(`the folder ${out} is not there`) },
    });
    expect(await readdir(bed.folder)).not.toContain('out');
    await rename(`${out}-elsewhere`, out);
    expect((await batch.result()).counts).toMatchObject({ rows: 12, completed: 12 });
    await rename(folder.path, batchFolder(bed, 'written'));
    const lines = await accountOfBatch(bed, 'written');
    expect(lines.map(({ status }) => status)).toEqual(rows.map(() => 'COMPLETED'));
  });
});
