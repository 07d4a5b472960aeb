import { expect, it } from '@jest/globals';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { heldUpBy } from '../../../../../temporal/client/batch/held-up-by';

const described = (...lastFailures: unknown[]): Pick<WorkflowExecutionDescription, 'raw'> => ({
  raw: { pendingActivities: lastFailures.map((lastFailure) => ({ lastFailure })) } as never,
});

it.each([
  ['nothing runs', [], undefined],
  ['a step runs for the first time', [null], undefined],
  [
    'a step was asked too early',
    [{ message: 'still running', applicationFailureInfo: { category: 1 } }],
    undefined,
  ],
  [
    'a step failed',
    [
      { message: 'still running', applicationFailureInfo: { category: 1 } },
      { message: 'S3 does not answer.' },
    ],
    'S3 does not answer.',
  ],
])('where %s', (_label, failures, expected) => {
  expect(heldUpBy(described(...failures))).toBe(expected);
});
