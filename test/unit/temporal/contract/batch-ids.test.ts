import { expect, test } from '@jest/globals';
import {
  batchAccountOf,
  batchNameOf,
  batchWorkflowId,
  isBatchWorkflowId,
} from '../../../../temporal/contract/batch-ids';

test('the workflow id of a batch contains its account and its name, even a name with slashes', () => {
  const id = batchWorkflowId('acme-1', 'harbour/2026');
  expect({ account: batchAccountOf(id), name: batchNameOf(id) }).toEqual({
    account: 'acme-1',
    name: 'harbour/2026',
  });
});

test.each([
  [batchWorkflowId('acme-1', 'harbour'), true],
  ['harbour', false],
  ['batch', false],
  ['upload/acme-1/batch/1', false],
])('%s is the id of a workflow: %s', (id, expected) => {
  expect(isBatchWorkflowId(id)).toBe(expected);
});
