import { describe, expect, test } from '@jest/globals';
import { MediaServiceError } from '../../../../../api/errors';
import { batchShowText } from '../../../../../cli/commands/batches/show';
import type { ShownBatch } from '../../../../../cli/commands/batches/show';
import { liveBatch } from '../../live-fixture';

const PROGRESS = liveBatch(
  { rows: 10, completed: 6, failed: 1, running: 2, waiting: 1, bytes: 6_000_000 },
  { round: 2, pages: 3, pagesDone: 1 },
);
const { counts: COUNTS } = PROGRESS;
const RUNNING: ShownBatch = {
  workflowId: 'batch/acme-1/harbour',
  status: 'RUNNING',
  startedAt: new Date('2026-11-21T07:00:00Z'),
  manifest: 'harbour.csv',
  folder: '/out on far',
  counts: COUNTS,
  progress: PROGRESS,
  failures: [],
};
const ENDED: ShownBatch = {
  ...RUNNING,
  status: 'COMPLETED',
  closedAt: new Date('2026-11-21T08:00:00Z'),
  counts: { ...COUNTS, completed: 9, running: 0, waiting: 0 },
};
const { progress: _progress, ...OVER } = ENDED;

const textOf = (facts: ShownBatch): string[] => batchShowText(facts).trimEnd().split('\n');

describe('batch show describes a batch', () => {
  test('that runs', () => {
    expect(textOf(RUNNING)).toEqual([
      'harbour: uploading',
      '  Rows: 70% of 10 rows: 6 completed, 1 failed, 2 running, 1 waiting, 6.0 MB',
      '  Started 2026-11-21T07:00:00.000Z',
      '  Manifest: harbour.csv',
      '  Folder: /out on far',
      '  Next: media-service batches wait harbour',
    ]);
  });

  test('that waits because its folder is full: with the reason and what to do', () => {
    const waitReason = {
      code: 'OutputFailed',
      message: '/out: the disk is full',
      hint: 'Free some space.',
    } as const;
    const lines = textOf({ ...RUNNING, progress: { ...PROGRESS, waitReason } });
    expect(lines[0]).toBe('harbour: uploading (retrying: /out: the disk is full)');
    expect(lines.slice(-2)).toEqual([
      '  What to do: Free some space. The batch then continues by itself.',
      '  Next: media-service batches wait harbour',
    ]);
  });

  test('that paused itself, with how to continue', () => {
    const paused = { ...PROGRESS, phase: 'paused', pausedBecause: '5 rows have failed.' } as const;
    const lines = textOf({ ...RUNNING, progress: paused });
    expect(lines[0]).toBe('harbour: paused (5 rows have failed)');
    expect(lines.at(-1)).toBe('  Next: media-service batches resume harbour');
  });

  test('that ended with failed rows, grouped by their errors', () => {
    const results = { jsonl: '/out/results.jsonl', csv: '/out/results.csv' };
    const lines = textOf({
      ...OVER,
      result: { batchId: 'harbour', round: 2, counts: ENDED.counts ?? COUNTS, results },
      failures: [
        {
          code: 'SourceMissing',
          rows: 2,
          message: 'pier.mp4 is not there.\u001b[2J',
          requestId: 'r-7',
          hint: 'Check the path.',
          examples: [
            { line: 4, id: 'pier', source: 'pier.mp4', message: 'pier.mp4 is not there.\u001b[2J' },
            { line: 5, id: 'quay', source: 'quay.mp4', message: 'quay.mp4 is not there.' },
          ],
        },
      ],
    });
    expect(lines[0]).toBe('harbour: ended, round 2');
    const first = { batchId: 'harbour', round: 1, counts: ENDED.counts ?? COUNTS, results };
    expect(textOf({ ...OVER, result: first })[0]).toBe('harbour: ended');
    expect(lines.slice(-8)).toEqual([
      '  Results: /out/results.csv and /out/results.jsonl',
      '  Failed with SourceMissing: 2 rows',
      '    pier.mp4 is not there.',
      '    Request id: r-7',
      '    What to do: Check the path.',
      '    line 4: pier.mp4 (id pier)',
      '    line 5: quay.mp4 (id quay): quay.mp4 is not there.',
      '  Next: media-service batches retry harbour',
    ]);
  });

  test('that was cancelled, with what to do', () => {
    const error = new MediaServiceError('Cancelled', 'the batch was cancelled', { hint: 'Start it again.' });
    const lines = textOf({ ...OVER, status: 'CANCELLED', error });
    expect(lines[0]).toBe('harbour: cancelled: the batch was cancelled');
    expect(lines.at(-1)).toBe('  What to do: Start it again.');
  });

  test('that does not answer, with the last recorded counts', () => {
    const { progress: _none, ...silent } = RUNNING;
    const waitReason = {
      code: 'NoWorker',
      message: 'No worker serves the task queue q.',
      hint: 'Run one.',
    } as const;
    const lines = textOf({ ...silent, waitReason });
    expect(lines[0]).toBe('harbour: running (waiting: No worker serves the task queue q)');
    expect(lines[1]).toContain('6 completed');
    expect(lines.at(-1)).toBe('  What to do: Run one. The batch then continues by itself.');
  });
});
