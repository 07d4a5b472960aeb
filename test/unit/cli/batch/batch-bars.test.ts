import { expect, test } from '@jest/globals';
import { createBatchBars } from '../../../../cli/batch/batch-view';
import type { LiveBatch } from '../../../../temporal/batch/client/open-batch';
import { drawnStream } from '../drawn-stream';
import { liveBatch } from '../live-fixture';

const COUNTS = { rows: 20_000, completed: 8_123, failed: 12, running: 64, waiting: 11_801, bytes: 1.2e9 };

async function shown(columns: number, change: Partial<LiveBatch> = {}): Promise<string[]> {
  const { screen, stream, settled } = drawnStream(columns);
  const view = createBatchBars(stream, { batch: 'harbour', json: false, now: () => 0 });
  const progress = liveBatch(COUNTS, { pages: 80, pagesDone: 32, ...change });
  await view.show(progress);
  await view.show(progress);
  view.close();
  await settled();
  return screen.rows();
}

const NUMBERS = 'done 8,123 of 20,000   running 64   failed 12   waiting 11,801   bytes 1.2 GB';

test.each<[columns: number, rows: string[]]>([
  [
    40,
    [
      'harbour  40%  uploading',
      'done 8,123 of 20,000   running 64',
      'failed 12   waiting 11,801',
      'bytes 1.2 GB',
    ],
  ],
  [80, [`harbour ${'█'.repeat(7)}${'░'.repeat(12)}  40%  uploading`, NUMBERS]],
  [100, [`harbour ${'█'.repeat(9)}${'░'.repeat(15)}  40%  uploading`, NUMBERS]],
  [200, [`harbour ${'█'.repeat(16)}${'░'.repeat(24)}  40%  uploading`, NUMBERS]],
])('the bar and its numbers at %i columns', async (columns, rows) => {
  expect(await shown(columns)).toEqual(rows);
});

test('a reason that is longer than the terminal is wide wraps between its words', async () => {
  const waitReason = {
    code: 'NoWorker',
    message: 'No worker serves the task queue media-service.acme-1.',
  } as const;
  expect((await shown(40, { waitReason })).slice(0, 3)).toEqual([
    'harbour  40%',
    'uploading (waiting: No worker serves',
    'the task queue media-service.acme-1)',
  ]);
});
