import { createS3 } from '../../files/s3/s3-client';
import type { FileLocation } from '../../files/file-location';
import { journalFile, rowsFile, writeLines } from '../../temporal/batch/files/batch-files';
import { readPage } from '../../temporal/batch/files/page-journal';
import type { JournalLine, PageRow } from '../../temporal/batch/files/page-journal';
import { useBucket } from '../support/s3-bucket';

const bucket = useBucket();
const s3 = createS3(bucket.settings);
const access = { outputRoots: [], roots: [], s3 };
afterAll(() => s3.close());

const SEGMENT = { page: 0, round: 1, turn: 1, attempt: 1 };

function folderOf(name: string): FileLocation {
  return { kind: 's3', bucket: bucket.name, key: name };
}

function session(uploadId: string): JournalLine {
  return { id: 'row', session: { uploadId, fileName: 'row.mp4', fileType: 'MP4', bytes: 4 } };
}

async function rowIn(folder: FileLocation): Promise<PageRow | undefined> {
  return (await readPage(access, { folder, page: 0 }))[0];
}

async function planned(name: string): Promise<FileLocation> {
  const folder = folderOf(name);
  await writeLines(access, rowsFile(folder, 0), [
    { digest: 'row', row: { line: 2, id: 'row', source: 'row.mp4', media: {} } },
  ]);
  return folder;
}

describe('the page journal in S3', () => {
  it('is read in the order of rounds, activities, attempts and commits, in whatever order they arrived', async () => {
    const folder = await planned('order');
    const arrived: readonly [string, object, number][] = [
      ['newest', { round: 2 }, 0],
      ['eleventh commit', { attempt: 2 }, 10],
      ['second activity', { turn: 2 }, 0],
      ['tenth commit', { attempt: 2 }, 9],
      ['first', {}, 0],
      ['first commit', { attempt: 2 }, 0],
    ];
    for (const [uploadId, segment, commit] of arrived)
      await writeLines(access, journalFile(folder, { ...SEGMENT, ...segment }, commit), [session(uploadId)]);
    expect(await rowIn(folder)).toMatchObject({
      session: { uploadId: 'newest' },
      left: ['first', 'first commit', 'tenth commit', 'eleventh commit', 'second activity'].map(
        (uploadId) => ({
          uploadId,
        }),
      ),
    });
  });
});
