import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { given } from '../../../../../api/json';
import { sourceIdentity } from '../../../../../api/upload/sources/source-rules';
import { pinSource } from '../../../../../files/sources/read-source';
import { withChangedFiles } from '../../../../../temporal/batch/activities/changed-files';
import type { JournalLine, PageRow } from '../../../../../temporal/batch/files/page-journal';
import type { ResultLine } from '../../../../../temporal/batch/types';
import type { ActivityDeps } from '../../../../../temporal/worker/activity-deps';
import { sourceAccess } from '../../../../../temporal/worker/activity-deps';
import { useTempDir } from '../../../../support/use-temp-dir';
import { resultLine } from '../result-line';
import { accountId, exampleDeps } from '../../worker/example-deps';

const temp = useTempDir('changed-files', 'test');
let share: string;
let deps: ActivityDeps;
let row: PageRow;
let written: JournalLine[];

beforeEach(async () => {
  share = join(temp.path, 'share');
  const path = join(share, 'a.mp4');
  await mkdir(share);
  await writeFile(path, 'film');
  deps = exampleDeps(undefined, { roots: [share] });
  const source = { kind: 'path', path } as const;
  const identity = sourceIdentity(await pinSource(sourceAccess(deps, accountId), source));
  const name = { line: 2, id: 'a', source: path };
  const planned = { digest: 'd', row: { ...name, media: { fileType: 'MP4' } } } as const;
  row = {
    page: 0,
    planned,
    left: [],
    result: resultLine({ ...name, ...given({ identity }) }),
  };
  written = [];
});

/** The result of the row after a try of its page in the next round. */
async function look(attempt: number): Promise<ResultLine | undefined> {
  const write = (line: JournalLine): Promise<void> => Promise.resolve(void written.push(line));
  const { signal } = new AbortController();
  const context = new MockActivityEnvironment({ attempt });
  const rows = await context.run((): Promise<readonly PageRow[]> =>
    withChangedFiles(deps, { accountId, options: {}, round: 2 }, { rows: [row], signal, write }),
  );
  return rows[0]?.result;
}

it('a completed row whose share is away waits for it, and after ten minutes keeps its result with a warning', async () => {
  await rename(share, `${share}-away`);
  await expect(look(14)).rejects.toMatchObject({ code: 'SourceUnavailable' });
  const result = await look(15);
  expect(result).toMatchObject({ ...row.result, warning: expect.stringContaining('is not there') });
  expect(written).toEqual([result]);
});

it('the warning goes once the share is back', async () => {
  await rename(share, `${share}-away`);
  row = { ...row, result: await look(15) };
  await rename(`${share}-away`, share);
  expect((await look(1))?.warning).toBeUndefined();
  expect(written).toHaveLength(2);
});
