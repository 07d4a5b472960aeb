import { describe, it } from '@jest/globals';
import { batchFolder, LARGE_BYTES, resultsOfBatch, startRows, writeRows } from '../support/batch-fixture';
import { openOwnS3 } from '../support/own-s3';
import type { OwnS3 } from '../support/own-s3';
import { until } from '../support/until';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';
import { CANARIES, expectIntactAndReplayable } from './activity-table/invariant';
import type { Evidence } from './activity-table/cell';

/** The client sees that many refused connections before the server is back. */
const TRIES_WHILE_AWAY = 4;
const PARTS = 3.2;
const ROWS = 20;

interface Running {
  readonly workflowId: string;
  /** Resolves after the end. */
  evidence(): Promise<Evidence>;
}

async function film(fixture: UploadFixture): Promise<Running> {
  const { path } = await fixture.writeFile('film.mp4', PARTS);
  const { workflowId, result } = await fixture.start(path, { media: { title: 'Film', fileType: 'MP4' } });
  const files = new Map([['Film', path]]);
  return {
    workflowId,
    evidence: async () => ({ workflowIds: [workflowId], files, reported: await result() }),
  };
}

async function rowsOfBatch(fixture: UploadFixture): Promise<Running> {
  const rows = await writeRows(fixture, 'row', ROWS, LARGE_BYTES);
  const { workflowId, result } = await startRows(fixture, 'rows', rows);
  const files = new Map(rows.map(({ id, source }) => [`Film ${id}`, source]));
  const folders = [batchFolder(fixture, 'rows')];
  return {
    workflowId,
    async evidence() {
      await result();
      return { workflowIds: [workflowId], files, reported: await resultsOfBatch(fixture, 'rows'), folders };
    },
  };
}

/**
 * Kills the server while the bytes of the first parts arrive, and starts it again after parts found no server. No file
 * is assembled meanwhile: a versitygw 1.8 that is killed then reports success for a file that it never assembles.
 */
async function killWhilePartsAreSent(s3: OwnS3, { simulator }: UploadFixture): Promise<void> {
  const count = (name: string): number => simulator.events().filter(({ event }) => event === name).length;
  await until('a part is held', () => count('held'));
  await s3.kill();
  const begun = count('part-begun');
  simulator.clearFaults();
  simulator.release();
  await until(
    'parts found no S3 server',
    () => count('part-begun') - begun,
    (tries) => tries >= TRIES_WHILE_AWAY,
  );
  await s3.restart();
}

async function runThroughKill(begin: (fixture: UploadFixture) => Promise<Running>): Promise<void> {
  const s3 = await openOwnS3();
  const fixture = await openUploadFixture({ simulator: { account: CANARIES, s3: s3.options } });
  let logs = '';
  try {
    await fixture.startWorkerProcess(
      { logLevel: 'info' },
      {
        onLog: (text) => {
          logs += text;
        },
      },
    );
    fixture.simulator.fault('hold:always:bytes=1000');
    const running = await begin(fixture);
    await killWhilePartsAreSent(s3, fixture);
    const evidence = await running.evidence();
    await expectIntactAndReplayable(fixture, evidence, { logs, events: fixture.simulator.events() });
  } finally {
    await fixture.close();
    await s3.close();
  }
}

describe('an S3 server that is killed while parts are sent', () => {
  it('loses, doubles, hides and leaks nothing of a file', () => runThroughKill(film));
  it('loses, doubles, hides and leaks nothing of a batch', () => runThroughKill(rowsOfBatch));
});
