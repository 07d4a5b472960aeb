import { describe, expect, it } from '@jest/globals';
import { listBatches } from '../../../../../temporal/client/batch/list-batches';
import type { TemporalConnection } from '../../../../../temporal/client/connect';
import type { BatchMemo } from '../../../../../temporal/contract/batch';

interface Run {
  readonly batch: string;
  readonly runId: string;
  readonly status: string;
  readonly memo?: BatchMemo;
}

/** Temporal's list, newest first. */
function connectionOf(runs: readonly Run[]): TemporalConnection {
  const found = runs.map(({ batch, runId, status, memo }, index) => ({
    workflowId: `batch/acme-1/${batch}`,
    runId,
    status: { name: status },
    startTime: new Date(1_000_000 - index),
    memo,
  }));
  return { client: { workflow: { list: () => found.values() } } } as never;
}

async function runsOf(runs: readonly Run[], how: Parameters<typeof listBatches>[1] = {}): Promise<string[]> {
  return (await listBatches(connectionOf(runs), how)).map(({ runId }) => runId);
}

const PLANNED = { planned: true };
const OVER = { before: 'first' };

describe('batches that were started more than once', () => {
  it.each<[label: string, runs: readonly Run[], shown: readonly string[]]>([
    [
      'and uploaded each time are shown as their latest run',
      [
        { batch: 'a', runId: 'second', status: 'FAILED', memo: { ...PLANNED, ...OVER } },
        { batch: 'a', runId: 'first', status: 'COMPLETED', memo: PLANNED },
      ],
      ['second'],
    ],
    [
      'and run again are shown as running',
      [
        { batch: 'a', runId: 'second', status: 'RUNNING', memo: OVER },
        { batch: 'a', runId: 'first', status: 'COMPLETED', memo: PLANNED },
      ],
      ['second'],
    ],
    [
      'and were refused are shown as the run before, with its start',
      [
        { batch: 'a', runId: 'third', status: 'FAILED', memo: OVER },
        { batch: 'b', runId: 'other', status: 'COMPLETED', memo: PLANNED },
        { batch: 'a', runId: 'second', status: 'CANCELLED', memo: OVER },
        { batch: 'a', runId: 'first', status: 'COMPLETED', memo: PLANNED },
      ],
      ['other', 'first'],
    ],
    [
      'and were refused while all earlier runs are forgotten are shown as that refusal',
      [
        { batch: 'a', runId: 'third', status: 'FAILED', memo: OVER },
        { batch: 'b', runId: 'other', status: 'COMPLETED', memo: PLANNED },
        { batch: 'a', runId: 'second', status: 'FAILED', memo: OVER },
      ],
      ['third', 'other'],
    ],
    [
      'of which the first start was refused are shown as that',
      [{ batch: 'a', runId: 'first', status: 'FAILED', memo: {} }],
      ['first'],
    ],
  ])('%s', async (_label, runs, shown) => {
    expect(await runsOf(runs)).toEqual(shown);
  });
});

it('a limit counts batches, not their runs', async () => {
  const runs = ['a', 'a', 'b', 'c'].map((batch, index) => ({
    batch,
    runId: `${index}`,
    status: 'COMPLETED',
  }));
  expect(await runsOf(runs, { limit: 2 })).toEqual(['0', '2']);
});

it('a list by end time has an entry for each run', async () => {
  const runs = ['a', 'a'].map((batch, index) => ({ batch, runId: `${index}`, status: 'COMPLETED' }));
  expect(await runsOf(runs, { ended: { from: 0, to: 1 } })).toEqual(['0', '1']);
});
