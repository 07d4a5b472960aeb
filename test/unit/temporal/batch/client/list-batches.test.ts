import { listBatches } from '../../../../../temporal/batch/client/list-batches';
import type { TemporalConnection } from '../../../../../temporal/client/connect';

type Run = readonly [batch: string, runId: string, status: string];

/** Temporal's list, newest first. */
function connectionOf(runs: readonly Run[]): TemporalConnection {
  const found = runs.map(([batch, runId, status], index) => ({
    workflowId: `batch/acme-1/${batch}`,
    memo: { batchId: batch },
    runId,
    status: { name: status },
    startTime: new Date(1_000_000 - index),
  }));
  const list = ({ query }: { readonly query: string }): unknown =>
    query.includes('ExecutionStatus IN ("Running")')
      ? found.filter(({ status }) => status.name === 'RUNNING').values()
      : found.values();
  return { lister: { workflow: { list } } } as never;
}

async function runsOf(runs: readonly Run[], how: Parameters<typeof listBatches>[1] = {}): Promise<string[]> {
  return (await listBatches(connectionOf(runs), how)).map(({ runId }) => runId);
}

it('a batch that was started more than once is shown as its latest run', async () => {
  const runs: readonly Run[] = [
    ['a', 'third', 'FAILED'],
    ['b', 'other', 'COMPLETED'],
    ['a', 'second', 'CANCELLED'],
    ['a', 'first', 'COMPLETED'],
  ];
  expect(await runsOf(runs)).toEqual(['third', 'other']);
});

it('a limit counts batches, not their runs', async () => {
  const runs = ['a', 'a', 'b', 'c'].map((batch, index): Run => [batch, `${index}`, 'COMPLETED']);
  expect(await runsOf(runs, { limit: 2 })).toEqual(['0', '2']);
});

it('a status is that of the latest run, and a name is looked for in batch ids', async () => {
  const runs: readonly Run[] = [
    ['a', 'second', 'COMPLETED'],
    ['b', 'other', 'FAILED'],
    ['a', 'first', 'FAILED'],
  ];
  expect(await runsOf(runs, { status: ['FAILED'] })).toEqual(['other']);
  expect(await runsOf(runs, { name: 'B' })).toEqual(['other']);
});

it('all that run are found behind any number of others, without a limit', async () => {
  const ended = Array.from({ length: 120 }, (_, index): Run => [`ended-${index}`, 'x', 'COMPLETED']);
  const running = Array.from({ length: 120 }, (_, index): Run => [`b-${index}`, `run-${index}`, 'RUNNING']);
  const found = await runsOf([...ended, ...running], { status: ['RUNNING'], limit: Infinity });
  expect(found).toEqual(running.map(([, runId]) => runId));
});

it('a list by end time has an entry for each run', async () => {
  const runs = ['a', 'a'].map((batch, index): Run => [batch, `${index}`, 'COMPLETED']);
  expect(await runsOf(runs, { ended: { from: 0, to: 1 } })).toEqual(['0', '1']);
});
