import { MediaServiceError } from '../../../../../api/errors';
import { batchShowText } from '../../../../../cli/commands/batches/show';
import type { ShownBatch } from '../../../../../cli/commands/batches/show';
import { liveBatch } from '../../live-fixture';

const PROGRESS = liveBatch({ rows: 10, completed: 6, failed: 1, running: 2, waiting: 1, bytes: 6_000_000 });
const { counts: COUNTS } = PROGRESS;
const SILENT: ShownBatch = {
  workflowId: 'batch/acme-1/harbour',
  status: 'RUNNING',
  startedAt: new Date('2026-11-21T07:00:00Z'),
  manifest: 'harbour.csv',
  folder: '/out on far',
  counts: COUNTS,
  failures: [],
};
const RUNNING: ShownBatch = { ...SILENT, progress: PROGRESS };
const OVER: ShownBatch = { ...SILENT, status: 'COMPLETED', closedAt: new Date('2026-11-21T08:00:00Z') };

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

  const full = { code: 'OutputFailed', message: '/out: the disk is full', hint: 'Free some space.' } as const;
  const nobody = {
    code: 'NoWorker',
    message: 'No worker serves the task queue q.',
    hint: 'Run one.',
  } as const;
  const cancelled = new MediaServiceError('Cancelled', 'the batch was cancelled', {
    hint: 'Start it again.',
  });
  test.each<[what: string, facts: ShownBatch, first: string, last: readonly string[]]>([
    [
      'waits because its folder is full: with the reason and what to do',
      { ...RUNNING, progress: { ...PROGRESS, waitReason: full } },
      'uploading (retrying: /out: the disk is full)',
      [
        'What to do: Free some space. The batch then continues by itself.',
        'Next: media-service batches wait harbour',
      ],
    ],
    [
      'paused itself and waits, with how to continue',
      {
        ...RUNNING,
        progress: { ...PROGRESS, phase: 'paused', pausedBecause: 'Much failed.\u001b[2J', waitReason: full },
      },
      'paused (Much failed; retrying: /out: the disk is full)',
      ['Next: media-service batches resume harbour'],
    ],
    [
      'was cancelled, with what to do',
      { ...OVER, status: 'CANCELLED', error: cancelled },
      'cancelled: the batch was cancelled',
      ['What to do: Start it again.'],
    ],
    [
      'does not answer, with the last recorded counts',
      { ...SILENT, waitReason: nobody },
      'running (waiting: No worker serves the task queue q)',
      ['What to do: Run one. The batch then continues by itself.'],
    ],
  ])('that %s', (_what, facts, first, last) => {
    const lines = textOf(facts);
    expect(lines[0]).toBe(`harbour: ${first}`);
    expect(lines[1]).toContain(`${facts.counts?.completed ?? ''} completed`);
    expect(lines.slice(-last.length)).toEqual(last.map((line) => `  ${line}`));
  });

  test('that ended with failed rows, grouped by their errors', () => {
    const results = { jsonl: '/out/results.jsonl', csv: '/out/results.csv' };
    const result = { batchId: 'harbour', round: 2, counts: COUNTS, results };
    const lines = textOf({
      ...OVER,
      result,
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
    expect(textOf({ ...OVER, result: { ...result, round: 1 } })[0]).toBe('harbour: ended');
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
});
