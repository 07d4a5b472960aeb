import { batchNameOf, batchPageWorkflowId, batchWorkflowId } from '../../../../temporal/batch/ids';

test('the workflow id of a batch contains its account and its name, even a name with slashes', () => {
  const id = batchWorkflowId('acme-1', 'harbour/2026');
  expect([id, batchNameOf(id)]).toEqual(['batch/acme-1/harbour/2026', 'harbour/2026']);
});

test('two runs that began in the same second have different pages, even in the same round', () => {
  // Ids of a server begin with the time.
  const [first, second] = [
    '01a1ff8f-6709-73b9-9c2e-858730915b55',
    '01a1ff8f-6709-7eed-af26-81ef2d4393c1',
  ].map((startedBy) => batchPageWorkflowId('batch/account/films', { round: 1, startedBy }, 7));
  expect(first).toBe('batch/account/films/round-1-858730915b55/page-7');
  expect(second).not.toBe(first);
});
