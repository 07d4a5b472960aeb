import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PathSource } from '../../../../../api/upload/sources/source';
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

const folder = useTempDir('plan-batch');
let deps: ActivityDeps;

beforeAll(async () => {
  for (const name of ['media', 'out', 'elsewhere']) await mkdir(join(folder.path, name));
  const [roots, outputRoots] = [[join(folder.path, 'media')], [join(folder.path, 'out')]];
  deps = exampleDeps(undefined, { roots, outputRoots });
});

const folderOf = (batchId: string) => ({ kind: 'path', path: join(folder.path, 'out', batchId) }) as const;

async function plan(
  subfolder: string,
  text: string,
  batchId = `from-${subfolder}`,
  startedBy = 'run',
): Promise<BatchPlan> {
  const path = join(folder.path, subfolder, 'clips.csv');
  await writeFile(path, text);
  return planSource({ kind: 'path', path }, batchId, startedBy);
}

function planSource(
  source: PathSource,
  batchId: string,
  startedBy = 'run',
  {
    options = {},
    format = 'csv',
  }: { readonly options?: BatchOptions; readonly format?: ManifestFormat } = {},
): Promise<BatchPlan> {
  return planManifest({ source, format }, { batchId, startedBy, options });
}

function planManifest(
  manifest: BatchInput['manifest'],
  { batchId, ...more }: Pick<BatchInput, 'batchId' | 'options'> & { readonly startedBy: string },
): Promise<BatchPlan> {
  return runActivity(planBatch(deps), {
    ...{ accountId, batchId, manifest, folder: folderOf(batchId) },
    ...more,
  });
}

describe('wrong rows that a batch skips', () => {
  const skipped = async (batchId: string): Promise<unknown[]> => {
    const text = await readFile(join(folder.path, 'out', batchId, 'skipped.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  };
  const planText = async (text: string, name: string, format: ManifestFormat = 'csv'): Promise<BatchPlan> => {
    const path = join(folder.path, 'media', `${name}.txt`);
    await writeFile(path, text);
    return planSource({ kind: 'path', path }, name, text, { options: { skipBad: true }, format });
  };

  it('end as failed with their first mistake, and the others are planned', async () => {
    const text =
      'source,id,duration\n/films/a.mp4,a,long\n/films/b.mp4,b,\nhttps://x.example/c.txt?sig=s,,x\n';
    expect(await planText(text, 'skips')).toEqual({ round: 1, rows: 3, pages: 1, skipped: 2 });
    expect(await skipped('skips')).toMatchObject([
      {
        line: 2,
        id: 'a',
        source: '/films/a.mp4',
        status: 'FAILED',
        attempts: 0,
        round: 1,
        error: { code: 'Validation' },
      },
      { line: 4, id: 'line-4', status: 'FAILED' },
    ]);
    expect(JSON.stringify(await skipped('skips'))).not.toContain('sig=');
  });

  it.each<[string, string, ManifestFormat]>([
    ['in JSON lines, the first included', '{"source":"/films/a.what"}\n{"source":"/films/b.mp4"}\n', 'jsonl'],
    ['that are not JSON', '{"source":"/films/a.mp4"}\n{oops\n', 'jsonl'],
  ])('are found %s', async (name, text, format) => {
    expect(await planText(text, name.replaceAll(/\W/g, '-'), format)).toMatchObject({ rows: 2, skipped: 1 });
  });

  it.each([
    ['whose header is wrong', 'source,colour\n/films/a.mp4,red\n'],
    ['that names an ID twice', 'source,id\n/films/a.mp4,a\n/films/b.mp4,a\n'],
    ['without a right row', 'source\n/films/a.what\n'],
  ])('never let a manifest pass %s', async (name, text) => {
    await expect(planText(text, name.replaceAll(' ', '-'))).rejects.toMatchObject({ type: 'Validation' });
  });
});

describe('the manifest of a batch', () => {
  it.each([
    ['in a folder that files may be uploaded from', 'media'],
    ['in a folder that batches are written to, such as one from stdin or failed.csv', 'out'],
  ])('can be read %s', async (_label, subfolder) => {
    expect(await plan(subfolder, 'source\n/films/a.mp4\n')).toMatchObject({ rows: 1, pages: 1 });
  });

  it("can't be read anywhere else", async () => {
    await expect(plan('elsewhere', 'source\n/films/a.mp4\n')).rejects.toMatchObject({
      type: 'SourceNotAllowed',
    });
  });

  it('without a byte is called empty', async () => {
    await expect(plan('media', '', 'of-nothing')).rejects.toThrow('the manifest is empty');
  });

  it('is not even read if the folder belongs to another batch, which keeps it', async () => {
    await claimFolder(deps.files, folderOf('second'), { accountId, batchId: 'first' });
    const missing = { kind: 'path', path: join(folder.path, 'media', 'missing.csv') } as const;
    await expect(planSource(missing, 'second')).rejects.toMatchObject({
      type: 'InputDiffers',
      message: expect.stringContaining(`belongs to the batch first of the account ${accountId}`),
    });
    expect(await readFile(join(folderOf('second').path, 'plan.json'), 'utf8')).toContain('"first"');
  });

  it('waits for a worker with the right key if its rows were sealed with another', async () => {
    const keys = sealKeysOf('the next secret');
    const row = {
      line: 1,
      id: 'a',
      source: 'https://cdn.example/a.mp4?sig=s',
      media: { fileType: 'MP4' },
    } as const;
    const manifest = { rows: [plannedRow(row, keys)] };
    await expect(
      planManifest(manifest, { batchId: 'sealed', options: {}, startedBy: 'run' }),
    ).rejects.toMatchObject({
      type: 'Configuration',
      nonRetryable: false,
      message: expect.stringContaining(`made with key ${keys.current.id}`),
    });
  });
});

describe('a batch that is started again', () => {
  const file = (batchId: string, name: string): Promise<string> =>
    readFile(join(folder.path, 'out', batchId, name), 'utf8');
  it('gets the same plan if the same run asks again', async () => {
    const text = 'source\n/films/a.mp4\n';
    const first = await plan('media', text, 'asked-again', 'first');
    const second = await plan('media', text, 'asked-again', 'second');
    expect([first.round, second.round]).toEqual([1, 2]);
    expect(await plan('media', text, 'asked-again', 'second')).toEqual(second);
  });

  it('releases its folder for others if nothing was planned', async () => {
    await expect(plan('media', 'source\nrelative.mp4\n', 'given-up')).rejects.toMatchObject({
      type: 'Validation',
    });
    await expect(file('given-up', 'plan.json')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
