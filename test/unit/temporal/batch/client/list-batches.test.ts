import { expect, it } from '@jest/globals';
import { listBatches } from '../../../../../temporal/batch/client/list-batches';
import type { TemporalConnection } from '../../../../../temporal/client/connect';
import type { BatchMemo } from '../../../../../temporal/batch/types';

interface Run {
  readonly batch: string;
  readonly runId: string;
  readonly status: string;
  readonly memo?: BatchMemo;
}

const run = (batch: string, runId: string, status: string, memo?: BatchMemo): Run =>
  memo === undefined ? { batch, runId, status } : { batch, runId, status, memo };

/** Temporal's list, newest first. */
function connectionOf(runs: readonly Run[]): TemporalConnection {
  const found = runs.map(({ batch, runId, status, memo }, index) => ({
    workflowId: `batch/acme-1/${batch}`,
    runId,
    status: { name: status },
    startTime: new Date(1_000_000 - index),
    memo,
  }));
  const list = ({ query }: { readonly query: string }): unknown =>
    query.includes('ExecutionStatus = "Running"')
      ? found.filter(({ status }) => status.name === 'RUNNING').values()
      : found.values();
  return { lister: { workflow: { list } } } as never;
}

async function runsOf(runs: readonly Run[], how: Parameters<typeof listBatches>[1] = {}): Promise<string[]> {
  return (await listBatches(connectionOf(runs), how)).map(({ runId }) => runId);
}

const PLANNED = { planned: true };
const OVER = { before: 'first' };

it.each<[label: string, runs: readonly Run[], shown: readonly string[]]>([
  [
    'and uploaded each time are shown as their latest run',
    [run('a', 'second', 'FAILED', { ...PLANNED, ...OVER }), run('a', 'first', 'COMPLETED', PLANNED)],
    ['second'],
  ],
  [
    'and run again are shown as running',
    [run('a', 'second', 'RUNNING', OVER), run('a', 'first', 'COMPLETED', PLANNED)],
    ['second'],
  ],
  [
    'and were refused are shown as the run before, with its start',
    [
      run('a', 'third', 'FAILED', OVER),
      run('b', 'other', 'COMPLETED', PLANNED),
      run('a', 'second', 'CANCELLED', OVER),
      run('a', 'first', 'COMPLETED', PLANNED),
    ],
    ['other', 'first'],
  ],
  [
    'and were refused while all earlier runs are forgotten are shown as that refusal',
    [
      run('a', 'third', 'FAILED', OVER),
      run('b', 'other', 'COMPLETED', PLANNED),
      run('a', 'second', 'FAILED', OVER),
    ],
    ['third', 'other'],
  ],
  ['of which the first start was refused are shown as that', [run('a', 'first', 'FAILED', {})], ['first']],
])('batches that were started more than once %s', async (_label, runs, shown) => {
  expect(await runsOf(runs)).toEqual(shown);
});

it('a limit counts batches, not their runs', async () => {
  const runs = ['a', 'a', 'b', 'c'].map((batch, index) => run(batch, `${index}`, 'COMPLETED'));
  expect(await runsOf(runs, { limit: 2 })).toEqual(['0', '2']);
});

it('all that run are found behind any number of others, without a limit', async () => {
  const ended = Array.from({ length: 120 }, (_, index) => run(`ended-${index}`, 'x', 'COMPLETED'));
  const running = Array.from({ length: 120 }, (_, index) => run(`b-${index}`, `run-${index}`, 'RUNNING'));
  const found = await runsOf([...ended, ...running], { running: true, limit: Infinity });
  expect(found).toEqual(running.map(({ runId }) => runId));
});

it('a list by end time has an entry for each run', async () => {
  const runs = ['a', 'a'].map((batch, index) => run(batch, `${index}`, 'COMPLETED'));
  expect(await runsOf(runs, { ended: { from: 0, to: 1 } })).toEqual(['0', '1']);
});
