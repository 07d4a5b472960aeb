import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActivityDeps } from '../../../../../temporal/worker/activity-deps';
import { claimFolder } from '../../../../../temporal/batch/files/stored-plan';
import { plannedRow } from '../../../../../temporal/batch/files/planned-row';
import { sealKeysOf } from '../../../../../temporal/seal';
import { planBatch } from '../../../../../temporal/batch/activities/plan-batch';
import type { BatchInput, BatchOptions, BatchPlan } from '../../../../../temporal/batch/types';
import type { ManifestFormat } from '../../../../../manifest/format';
import { useTempDir } from '../../../../support/use-temp-dir';
import { accountId, exampleDeps } from '../../worker/example-deps';
import { runActivity } from '../../worker/run-activity';

const temp = useTempDir('plan-batch');
let deps: ActivityDeps;

beforeAll(async () => {
  for (const name of ['media', 'out', 'elsewhere']) await mkdir(join(temp.path, name));
  const [roots, outputRoots] = [[join(temp.path, 'media')], [join(temp.path, 'out')]];
  deps = exampleDeps(undefined, { roots, outputRoots });
});

const folderOf = (batchId: string) => ({ kind: 'path', path: join(temp.path, 'out', batchId) }) as const;
const fileOf = (batchId: string, name: string): Promise<string> =>
  readFile(join(folderOf(batchId).path, name), 'utf8');

interface Start {
  readonly options?: BatchOptions;
  readonly startedBy?: string;
}

function plan(batchId: string, manifest: BatchInput['manifest'], start: Start = {}): Promise<BatchPlan> {
  const batch = { accountId, batchId, manifest, folder: folderOf(batchId) };
  return runActivity(planBatch(deps), { ...batch, options: {}, startedBy: 'run', ...start });
}

async function written(
  text: string,
  { subfolder = 'media', format = 'csv' }: { subfolder?: string; format?: ManifestFormat } = {},
): Promise<BatchInput['manifest']> {
  const path = join(temp.path, subfolder, 'clips');
  await writeFile(path, text);
  return { source: { kind: 'path', path }, format };
}

describe('wrong rows that a batch skips', () => {
  const planned = async (batchId: string, text: string, format?: 'jsonl'): Promise<BatchPlan> =>
    plan(batchId, await written(text, format && { format }), { options: { skipBad: true } });

  it('end as failed with their first mistake, and the others are planned', async () => {
    const text =
      'source,id,duration\n/films/a.mp4,a,long\n/films/b.mp4,b,\nhttps://x.example/c.txt?sig=s,,x\n';
    expect(await planned('skips', text)).toEqual({ round: 1, rows: 3, pages: 1, skipped: 2 });
    const skipped = await fileOf('skips', 'skipped.jsonl');
    const lines = skipped.trimEnd().split('\n');
    const a = { line: 2, id: 'a', source: '/films/a.mp4', error: { code: 'Validation' } };
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { ...a, status: 'FAILED', attempts: 0, round: 1 },
      { line: 4, id: 'line-4', status: 'FAILED' },
    ]);
    expect(skipped).not.toContain('sig=');
  });

  it.each([
    ['in JSON lines, the first included', '{"source":"/films/a.what"}\n{"source":"/films/b.mp4"}\n'],
    ['that are not JSON', '{"source":"/films/a.mp4"}\n{oops\n'],
  ])('are found %s', async (name, text) => {
    expect(await planned(name, text, 'jsonl')).toMatchObject({ rows: 2, skipped: 1 });
  });

  it.each([
    ['whose header is wrong', 'source,colour\n/films/a.mp4,red\n'],
    ['that names an ID twice', 'source,id\n/films/a.mp4,a\n/films/b.mp4,a\n'],
    ['without a right row', 'source\n/films/a.what\n'],
  ])('never let a manifest pass %s', async (name, text) => {
    await expect(planned(name, text)).rejects.toMatchObject({ type: 'Validation' });
  });
});

describe('the manifest of a batch', () => {
  const TEXT = 'source\n/films/a.mp4\n';

  it.each([
    ['in a folder that files may be uploaded from', 'media'],
    ['in a folder that batches are written to, such as one from stdin or failed.csv', 'out'],
  ])('can be read %s', async (_label, subfolder) => {
    const manifest = await written(TEXT, { subfolder });
    expect(await plan(`from-${subfolder}`, manifest)).toMatchObject({ rows: 1, pages: 1 });
  });

  it("can't be read anywhere else", async () => {
    const manifest = await written(TEXT, { subfolder: 'elsewhere' });
    await expect(plan('from-elsewhere', manifest)).rejects.toMatchObject({ type: 'SourceNotAllowed' });
  });

  it('without a byte is called empty', async () => {
    await expect(plan('of-nothing', await written(''))).rejects.toThrow('the manifest is empty');
  });

  it('is not even read if the folder belongs to another batch, which keeps it', async () => {
    await claimFolder(deps.files, folderOf('second'), { accountId, batchId: 'first' });
    const missing = { kind: 'path', path: join(temp.path, 'media', 'missing.csv') } as const;
    await expect(plan('second', { source: missing, format: 'csv' })).rejects.toMatchObject({
      type: 'InputDiffers',
      message: expect.stringContaining(`belongs to the batch first of the account ${accountId}`),
    });
    expect(await fileOf('second', 'plan.json')).toContain('"first"');
  });

  it('is not read either if the folder may not be written to', async () => {
    const folder = { kind: 'path', path: join(temp.path, 'elsewhere', 'results') } as const;
    const input = {
      accountId,
      batchId: 'out',
      folder,
      manifest: { rows: [] },
      options: {},
      startedBy: 'run',
    };
    await expect(runActivity(planBatch(deps), input)).rejects.toMatchObject({ type: 'OutputFailed' });
  });

  it('waits for a worker with the right key if its rows were sealed with another', async () => {
    const keys = sealKeysOf('the next secret');
    const row = plannedRow({ line: 1, id: 'a', source: 'https://cdn.example/a.mp4?sig=s', media: {} }, keys);
    await expect(plan('sealed', { rows: [row] })).rejects.toMatchObject({
      type: 'Configuration',
      nonRetryable: false,
      message: expect.stringContaining(`made with key ${keys.current.id}`),
    });
  });

  it('has the same plan if the same run asks again', async () => {
    const manifest = await written(TEXT);
    const first = await plan('asked-again', manifest, { startedBy: 'first' });
    const second = await plan('asked-again', manifest, { startedBy: 'second' });
    expect([first.round, second.round]).toEqual([1, 2]);
    expect(await plan('asked-again', manifest, { startedBy: 'second' })).toEqual(second);
  });

  it('releases the folder for others if nothing was planned', async () => {
    const manifest = await written('source\nrelative.mp4\n');
    await expect(plan('given-up', manifest)).rejects.toMatchObject({ type: 'Validation' });
    await expect(fileOf('given-up', 'plan.json')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
