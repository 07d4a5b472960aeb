import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { movedTo, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import type { BatchRow } from '../support/batch-fixture';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

/** Without workers that were stopped lately, which count as alive. */
let fixture: UploadFixture;
beforeEach(async () => {
  fixture = await openUploadFixture();
});
afterEach(() => fixture.close());

const TWO_WORKERS = /\(workers (\S+@test-host\S+), (?!\1)\S+@test-host\S+\)$/;

describe('a batch with two workers that may read different folders', () => {
  it('completes every row that one of them may read, and names both where none may', async () => {
    const rowsIn = async (name: string, count: number): Promise<BatchRow[]> =>
      movedTo(join(fixture.folder, name), await writeRows(fixture, name, count));
    const rows = [
      ...(await rowsIn('left', 12)),
      ...(await rowsIn('none', 1)),
      ...(await rowsIn('right', 12)),
    ];
    await fixture.startWorker({ roots: [join(fixture.folder, 'left')] });
    await fixture.startWorker({ roots: [join(fixture.folder, 'right')] });
    const batch = await startRows(fixture, 'folders', rows, { options: { pageRows: 25 } });
    expect((await batch.result()).counts).toMatchObject({ rows: 25, completed: 24, failed: 1 });
    const lines = await resultsOfBatch(fixture, 'folders');
    expect(lines.filter(({ status }) => status === 'FAILED')).toMatchObject([
      { id: 'none-0', error: { code: 'SourceNotAllowed', message: expect.stringMatching(TWO_WORKERS) } },
    ]);
    expect(fixture.simulator.seen()).toMatchObject({ starts: 24, completesAccepted: 24 });
  });

  it('is planned by the one that may read its manifest', async () => {
    const films = join(fixture.folder, 'films');
    const rows = await movedTo(films, await writeRows(fixture, 'film', 3));
    const path = join(fixture.folder, 'lists', 'films.jsonl');
    await mkdir(join(fixture.folder, 'lists'));
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const out = join(fixture.folder, 'out');
    await mkdir(out);
    await fixture.startWorker({ roots: [films], outputRoots: [out] });
    await fixture.startWorker({ roots: [films, join(fixture.folder, 'lists')], outputRoots: [out] });
    for (const batchId of ['one', 'two', 'three']) {
      const batch = await startRows(fixture, batchId, [], {
        manifest: { source: { kind: 'path', path }, format: 'jsonl' },
        folder: { kind: 'path', path: join(out, batchId) },
      });
      expect((await batch.result()).counts).toMatchObject({ completed: 3 });
    }
  });
});

it('a batch with two workers, one of which the service refuses, fails no row', async () => {
  await fixture.startWorker();
  await fixture.startWorker();
  const rows = await writeRows(fixture, 'revoked', 8);
  // Both have logged in. Now a token ends, and the next logins are refused.
  for (const fault of ['token-expired-once', 'login-skew:2']) fixture.simulator.fault(fault);
  const batch = await startRows(fixture, 'revoked', rows, { options: { pageRows: 8 } });
  expect((await batch.result()).counts).toMatchObject({ completed: 8, failed: 0 });
  expect(fixture.simulator.seen()).toMatchObject({ completesAccepted: 8 });
});
