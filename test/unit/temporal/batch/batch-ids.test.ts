import { describe, expect, it, test } from '@jest/globals';
import {
  batchNameOf,
  batchPageWorkflowId,
  batchWorkflowId,
  isBatchWorkflowId,
  shortRunId,
} from '../../../../temporal/batch/ids';

test('the workflow id of a batch contains its account and its name, even a name with slashes', () => {
  const id = batchWorkflowId('acme-1', 'harbour/2026');
  expect([id, batchNameOf(id)]).toEqual(['batch/acme-1/harbour/2026', 'harbour/2026']);
});

test.each([
  [batchWorkflowId('acme-1', 'harbour'), true],
  ['harbour', false],
  ['batch', false],
  ['upload/acme-1/batch/1', false],
])('%s is the id of a workflow: %s', (id, expected) => {
  expect(isBatchWorkflowId(id)).toBe(expected);
});

/** IDs that a server issued within the same second. They begin with the time. */
const FIRST = '01a1ff8f-6709-73b9-9c2e-858730915b55';
const SECOND = '01a1ff8f-6709-7eed-af26-81ef2d4393c1';

describe('two runs that began in the same second', () => {
  it('have different short IDs', () => {
    expect([FIRST, SECOND].map(shortRunId)).toEqual(['858730915b55', '81ef2d4393c1']);
  });

  it('have different pages, even in the same round', () => {
    const [first, second] = [FIRST, SECOND].map((startedBy) =>
      batchPageWorkflowId('batch/account/films', { round: 1, startedBy }, 7),
    );
    expect(first).toBe('batch/account/films/round-1-858730915b55/page-7');
    expect(second).not.toBe(first);
  });
});
