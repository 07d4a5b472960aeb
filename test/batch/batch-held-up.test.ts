import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { LiveBatch } from '../../temporal/client/batch/batch-handle';
import { useCredentials } from '../support/aws-credentials';
import { batchFolder, progressWhen, startRows, writeRows } from '../support/batch-bed';
import { commandEnv, buildCommand, runCommand } from '../support/command';
import { freePort } from '../support/free-port';
import { useUploadBed, type UploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });
useCredentials('anybody', 'a secret that nobody checks');

function isHeldUp(progress: LiveBatch): boolean {
  return progress.heldUpBy !== undefined;
}

function placeOf(bed: UploadBed): { readonly cwd: string; readonly env: Record<string, string> } {
  const env = commandEnv(bed);
  return { cwd: bed.folder, env };
}

describe('a batch whose page cannot write what became of its rows', () => {
  it('says so and what to do, and goes on by itself once it can', async () => {
    const { bed } = on;
    const stop = await bed.startWorker();
    const pages = join(batchFolder(bed, 'blocked'), 'pages');
    await mkdir(batchFolder(bed, 'blocked'), { recursive: true });
    await writeFile(pages, 'a file stands where a folder has to be');
    const batch = await startRows(bed, 'blocked', await writeRows(bed, 'blocked', 2));
    expect(await progressWhen(batch, isHeldUp)).toMatchObject({
      phase: 'uploading',
      heldUpBy: { message: expect.stringContaining(pages) },
    });
    await rm(pages);
    expect((await batch.result()).counts).toMatchObject({ rows: 2, completed: 2 });
    await stop();
  });
});

describe('a batch whose rows lie in an S3 that nobody reaches', () => {
  it('says so and what to do', async () => {
    const { bed } = on;
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    const stop = await bed.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
    const rows = ['a', 'b'].map((id) => ({ id, source: `s3://nobody/${id}.mp4` }));
    const batch = await startRows(bed, 'rows-away', rows);
    expect(await progressWhen(batch, isHeldUp)).toMatchObject({
      phase: 'uploading',
      heldUpBy: {
        code: 'Transport',
        message: expect.stringContaining(`S3 at ${endpoint} cannot be reached`),
        hint: expect.stringContaining('MEDIA_SERVICE_S3_ENDPOINT'),
      },
    });
    await batch.cancel();
    await expect(batch.result()).rejects.toMatchObject({ code: 'Cancelled' });
    await stop();
  });
});

describe('a batch whose folder lies in an S3 that nobody reaches', () => {
  it('makes its start end with an error that says so and how to give it up', async () => {
    const { bed } = on;
    await buildCommand();
    const endpoint = `http://127.0.0.1:${String(await freePort())}`;
    await bed.startWorker({ s3: { endpoint, region: 'eu-north-1' } });
    await writeFile(join(bed.folder, 'a.mp4'), 'a film');
    await writeFile(join(bed.folder, 'away.csv'), 'source,id\na.mp4,a\n');
    const words = ['batch', 'start', 'away.csv', '--id', 'away', '--to', 's3://nobody/away'];
    const ended = await runCommand(words, placeOf(bed));
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toContain(
      `The plan of away could not be made so far: S3 at ${endpoint} cannot be reached`,
    );
    expect(ended.stderr).toContain('What to do: Check MEDIA_SERVICE_S3_ENDPOINT');
    expect(ended.stderr).toContain('`media-service batch cancel away` gives it up');
    expect(ended.exit).toBe(6);
  });
});
