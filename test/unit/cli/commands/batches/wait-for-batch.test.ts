import { describe, expect, test } from '@jest/globals';
import type { Clock } from '../../../../../api/clock';
import { MediaServiceError } from '../../../../../api/errors';
import { watchBatch } from '../../../../../cli/commands/batches/wait';
import { ReportedFailure } from '../../../../../cli/exit-codes';
import { Interrupts } from '../../../../../cli/interrupts';
import type { BatchHandle, LiveBatch } from '../../../../../temporal/batch/client/open-batch';
import type { BatchResult } from '../../../../../temporal/batch/types';
import { cliContext } from '../../../../support/cli-context';
import { liveBatch, UNUSED_CONTROLS } from '../../live-fixture';

const PROGRESS = liveBatch({ rows: 4, completed: 1, running: 2, waiting: 1, bytes: 2_000_000 });
const { counts: COUNTS } = PROGRESS;
const RESULT: BatchResult = {
  batchId: 'harbour',
  round: 1,
  counts: { ...COUNTS, completed: 4, running: 0, waiting: 0, bytes: 8_000_000 },
  results: { jsonl: '/out/results.jsonl', csv: '/out/results.csv' },
};
const FAILED: BatchResult = {
  ...RESULT,
  counts: { ...RESULT.counts, completed: 3, failed: 1 },
  results: { ...RESULT.results, failed: '/out/failed.csv' },
};

type Look = LiveBatch | MediaServiceError | Late;
const alone = new MediaServiceError('NoWorker', 'No worker serves the task queue q.', { hint: 'Run one.' });

/** A check that takes until this time, ms. */
interface Late {
  readonly until: number;
}

/** Time passes only while everything else waits; then the first sleeper wakes. */
function virtualClock(): Clock {
  let now = 0;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  let isDue = false;
  const passSoon = (): void => {
    if (isDue || sleepers.size === 0) return;
    isDue = true;
    // Everything else that is due comes first.
    setImmediate(() => setImmediate(pass));
  };
  const pass = (): void => {
    isDue = false;
    const [first] = [...sleepers].sort((a, b) => a.at - b.at);
    if (first === undefined) return;
    sleepers.delete(first);
    now = Math.max(now, first.at);
    first.wake();
    passSoon();
  };
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((done, fail) => {
        const abort = (): void => {
          sleepers.delete(sleeper);
          fail(new Error('Aborted.'));
        };
        const wake = (): void => {
          signal?.removeEventListener('abort', abort);
          done();
        };
        const sleeper = { at: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
        passSoon();
      }),
  };
}

interface Play {
  readonly looks?: readonly Look[];
  /** The first check takes longer than workers take. */
  readonly silent?: boolean;
  /** Unset: the batch continues. */
  readonly end?: BatchResult | MediaServiceError;
  readonly json?: boolean;
  readonly tty?: boolean;
  /** Number of Ctrl-C presses after all checks. */
  readonly presses?: number;
}

interface Watched {
  readonly stdout: string;
  readonly stderr: string;
  readonly cancelled: boolean;
  readonly failure?: unknown;
}

/** Watches a batch with the given checks, a second apart. After the last one it ends, or Ctrl-C is pressed. */
async function watch({
  looks = [PROGRESS],
  silent = false,
  end,
  json = false,
  tty = false,
  presses = 0,
}: Play): Promise<Watched> {
  let pressedAt = 0;
  const interrupts = new Interrupts(
    () => undefined,
    () => (pressedAt += 1_000),
  );
  const over = new AbortController();
  const left = [...looks];
  let cancelled = false;
  const usedUp = (): void => {
    over.abort();
    for (let press = 0; press < presses; press += 1) interrupts.stop('SIGINT');
  };
  const handle: BatchHandle = {
    ...UNUSED_CONTROLS,
    workflowId: 'batch/acme-1/harbour',
    async progress() {
      while (silent && context.clock.now() < 10_000) await context.clock.sleep(1_000);
      const look = left.shift() ?? PROGRESS;
      if (left.length === 0) setImmediate(usedUp);
      if (look instanceof MediaServiceError) throw look;
      if (!('until' in look)) return look;
      while (context.clock.now() < look.until) await context.clock.sleep(1_000);
      return PROGRESS;
    },
    result: (signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('Interrupted.')));
        over.signal.addEventListener('abort', () => {
          if (end instanceof MediaServiceError) reject(end);
          else if (end !== undefined) resolve(end);
        });
      }),
    cancel: () => Promise.resolve(void (cancelled = true)),
  };
  const terminals = tty ? (['stderr'] as const) : [];
  const { context, written } = cliContext({ terminals, interrupts, clock: virtualClock() });
  try {
    await watchBatch(context, handle, { json });
    return { ...written, cancelled };
  } catch (failure) {
    return { ...written, cancelled, failure };
  }
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const jsonLines = (text: string): { phase?: string }[] =>
  linesOf(text).map((line) => JSON.parse(line) as { phase?: string });

const after = (completed: number): LiveBatch => ({
  ...PROGRESS,
  counts: { ...COUNTS, completed, waiting: 2 - completed },
});

describe('the end of a batch', () => {
  test('prints the counts and where the results are, on stdout', async () => {
    const { stdout, failure } = await watch({ end: RESULT });
    expect(stdout).toBe(
      'harbour: ended, 4 rows: 4 completed, 8.0 MB\n  Results: /out/results.csv and /out/results.jsonl\n',
    );
    expect(failure).toBeUndefined();
  });

  test('names what helps with failed rows, and has an exit code for them', async () => {
    const { stdout, failure } = await watch({ end: FAILED });
    expect(stdout).toContain('3 completed, 1 failed');
    expect(stdout).toContain('  Failed rows as a manifest: /out/failed.csv\n');
    expect(stdout).toContain('media-service batches retry harbour\n');
    expect(failure).toEqual(new ReportedFailure(16));
  });

  test('is the error of a batch that failed as a whole', async () => {
    const refused = new MediaServiceError('InputDiffers', 'line 3 differs');
    const { stdout, failure } = await watch({ end: refused });
    expect({ stdout, failure }).toEqual({ stdout: '', failure: refused });
  });
});

describe('progress of a batch', () => {
  test('is a line on stderr when the phase changes', async () => {
    const { stderr } = await watch({
      looks: [{ ...PROGRESS, phase: 'planning' }, PROGRESS, after(2), { ...PROGRESS, phase: 'paused' }],
      end: RESULT,
    });
    expect(linesOf(stderr)).toEqual([
      expect.stringMatching(/^harbour: planning, /),
      expect.stringMatching(/^harbour: uploading, 25% of 4 rows, /),
      expect.stringMatching(/^harbour: paused, /),
    ]);
  });

  const waitReason = { code: 'OutputFailed', message: 'the disk is full', hint: 'Free some space.' } as const;
  const waiting = [PROGRESS, { ...PROGRESS, waitReason }, { ...after(2), waitReason }];

  test('says once why it waits and what to do', async () => {
    const { stderr } = await watch({ looks: waiting, end: RESULT });
    expect(stderr).toMatch(
      /^harbour: uploading \(retrying: the disk is full\), .*\nWhat to do: Free some space\.$/m,
    );
    expect(stderr.match(/What to do/g)).toHaveLength(1);
  });

  test('on a terminal says what to do together with the reason, which the bar shows only while it lasts', async () => {
    const { stderr } = await watch({ looks: waiting, end: RESULT, tty: true });
    expect(stderr.match(/Retrying: the disk is full What to do: Free some space\./g)).toHaveLength(1);
  });

  test('with --json is one object per line for each change, and the last one is the end', async () => {
    const { stdout, stderr } = await watch({
      looks: [PROGRESS, PROGRESS, after(2)],
      end: FAILED,
      json: true,
    });
    expect(stderr).toBe('');
    expect(jsonLines(stdout)).toEqual([
      expect.objectContaining({ phase: 'uploading', counts: COUNTS }),
      expect.objectContaining({
        counts: expect.objectContaining({ completed: 2 }),
        rowsPerSecond: 0.5,
        leftMs: 4_000,
      }),
      { phase: 'ended', workflowId: 'batch/acme-1/harbour', joined: false, ...FAILED },
    ]);
  });

  test('on a terminal is a bar with done, running, failed, waiting and bytes', async () => {
    const { stderr } = await watch({ looks: [PROGRESS, after(2)], end: RESULT, tty: true });
    expect(stderr).toContain('█');
    expect(stderr).toContain('100%  ended');
    expect(stderr).toContain('done 4 of 4   running 0   failed 0   waiting 0   bytes 8.0 MB');
  });

  test('that is repeated without a new query does not count as no progress', async () => {
    const [first, second] = [after(1), after(2)];
    const shown = Array<LiveBatch>(12).fill(second);
    const { stderr } = await watch({ looks: [first, ...shown], end: RESULT });
    expect(linesOf(stderr)).toEqual([expect.stringContaining('1 completed')]);
  });

  test('that no worker can report is mentioned once, after two failures in a row', async () => {
    const { stderr } = await watch({ looks: [alone, PROGRESS, alone, alone, alone, PROGRESS], end: RESULT });
    expect(stderr.match(/Waiting: No worker serves the task queue q\. What to do: Run one\./g)).toHaveLength(
      1,
    );
  });

  test('that no worker can report is also a line of JSON', async () => {
    const { stdout } = await watch({
      looks: [PROGRESS, alone, alone, alone, { ...PROGRESS }, PROGRESS],
      end: RESULT,
      json: true,
    });
    const lines = jsonLines(stdout);
    const waitReason = { code: 'NoWorker', message: 'No worker serves the task queue q.', hint: 'Run one.' };
    expect(lines.map(({ phase }) => phase)).toEqual(['uploading', undefined, 'uploading', 'ended']);
    expect(lines[1]).toEqual({ batchId: 'harbour', waitReason });
  });
});

test('a worker that does not answer is named within seconds, before the server gives up on it', async () => {
  const { stderr } = await watch({ silent: true, end: RESULT });
  const [first, second] = stderr.split('\n');
  expect(first).toBe('No worker has responded so far. The batch continues as soon as one does.');
  expect(second).toMatch(/^harbour: uploading/);
});

describe('a Temporal that becomes unreachable', () => {
  const away = new MediaServiceError('TemporalUnreachable', 'Temporal at t:7233 refused the connection.');

  test('is named, the last figures stay marked as old, and its return is reported', async () => {
    const { stderr } = await watch({
      looks: [PROGRESS, away, away, away, after(2), PROGRESS],
      end: RESULT,
      tty: true,
    });
    const [before = '', rest = ''] = stderr.split('Temporal at t:7233 refused the connection. Still trying.');
    expect(before).toContain('done 1 of 4');
    const [old = '', back = ''] = rest.split('Temporal and the workers answer again.');
    expect(old).toContain('old figures: no answer');
    expect(old).toContain('done 1 of 4');
    expect(back).toContain('done 2 of 4');
    expect(back).not.toContain('old figures');
  });

  test('is reported within ten seconds if nothing answers at all', async () => {
    const { stderr } = await watch({ looks: [PROGRESS, { until: 60_000 }, PROGRESS, PROGRESS], end: RESULT });
    const lines = linesOf(stderr);
    expect(lines.filter((line) => line.startsWith('No worker has answered for 8 s'))).toHaveLength(1);
    expect(lines).toContain('Temporal and the workers answer again.');
  });

  test('is reported as reachable again before its answer is shown', async () => {
    const { stderr } = await watch({
      looks: [PROGRESS, away, away, { ...after(2), phase: 'closing' }, PROGRESS],
      end: RESULT,
    });
    const lines = linesOf(stderr);
    const back = lines.indexOf('Temporal and the workers answer again.');
    expect(lines[back + 1]).toMatch(/^harbour: writing the results/);
  });
});

describe('Ctrl-C', () => {
  test('pressed once detaches with the command that shows the batch again', async () => {
    const { stderr, cancelled, failure } = await watch({ presses: 1 });
    expect(stderr).toContain('media-service batches wait harbour');
    expect({ cancelled, failure }).toEqual({ cancelled: false, failure: new ReportedFailure(130) });
  });

  test('pressed again cancels nothing: the text names the command that does', async () => {
    const { stderr, cancelled, failure } = await watch({ presses: 2 });
    expect(stderr).toContain('media-service batches cancel harbour');
    expect({ cancelled, failure }).toEqual({ cancelled: false, failure: new ReportedFailure(130) });
  });

  test('with --json says what happens to the batch', async () => {
    const { stdout } = await watch({ presses: 1, json: true });
    expect(jsonLines(stdout).at(-1)).toEqual({
      workflowId: 'batch/acme-1/harbour',
      state: 'detached',
    });
  });
});
