import { MediaServiceError } from '../../../../../api/errors';
import { watchBatch } from '../../../../../cli/commands/batches/wait';
import { ReportedFailure } from '../../../../../cli/exit-codes';
import { Interrupts } from '../../../../../cli/interrupts';
import type { BatchHandle } from '../../../../../temporal/batch/client/open-batch';
import type { LiveBatch } from '../../../../../temporal/batch/client/live-batch';
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

const clock = { now: () => 0, sleep: () => new Promise<void>((done) => setImmediate(done)) };

interface Play {
  readonly looks?: readonly LiveBatch[];
  /** Unset: the batch continues. */
  readonly end?: BatchResult | MediaServiceError;
  readonly json?: boolean;
  /** Whether Ctrl-C is pressed after all checks. */
  readonly isStopped?: boolean;
}

/** Watches a batch with the given checks, a second apart. After the last one it ends, or Ctrl-C is pressed. */
async function watch({ looks = [PROGRESS], end, json = false, isStopped = false }: Play) {
  const interrupts = new Interrupts(() => undefined);
  const left = [...looks];
  let usedUp = (): void => undefined;
  const handle: BatchHandle = {
    ...UNUSED_CONTROLS,
    workflowId: 'batch/acme-1/harbour',
    progress() {
      const look = left.shift() ?? PROGRESS;
      if (left.length === 0) setImmediate(() => usedUp());
      return Promise.resolve(look);
    },
    result: (signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('Interrupted.')));
        usedUp = () => {
          if (end instanceof MediaServiceError) reject(end);
          else if (end !== undefined) resolve(end);
          if (isStopped) interrupts.stop('SIGINT');
        };
      }),
  };
  const { context, written } = cliContext({ interrupts, clock });
  context.terminal.view = { json, debug: false };
  const failure = await watchBatch(context, handle).catch((error: unknown) => error);
  return { ...written, failure };
}

const jsonLines = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

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

test('progress with --json is one object per line for each change, and the last one is the end', async () => {
  const { stdout, stderr } = await watch({
    looks: [PROGRESS, PROGRESS, liveBatch({ ...COUNTS, completed: 2 })],
    end: FAILED,
    json: true,
  });
  expect(stderr).toBe('');
  expect(jsonLines(stdout)).toEqual([
    expect.objectContaining({ phase: 'uploading', counts: COUNTS }),
    expect.objectContaining({ counts: { ...COUNTS, completed: 2 } }),
    { phase: 'ended', workflowId: 'batch/acme-1/harbour', joined: false, ...FAILED },
  ]);
});

describe('Ctrl-C', () => {
  test('detaches, and only names the command that cancels', async () => {
    const { stderr, failure } = await watch({ isStopped: true });
    expect(stderr).toContain('media-service batches wait harbour');
    expect(stderr).toContain('media-service batches cancel harbour');
    expect(failure).toEqual(new ReportedFailure(130));
  });

  test('with --json says what happens to the batch', async () => {
    const { stdout } = await watch({ isStopped: true, json: true });
    expect(jsonLines(stdout).at(-1)).toEqual({
      workflowId: 'batch/acme-1/harbour',
      state: 'detached',
    });
  });
});
