import { ApplicationFailure } from '@temporalio/common';
import { hasEnded } from '../../../../temporal/workflow/signals';

const failure = (type: string, message = 'Unable to signal external workflow'): ApplicationFailure =>
  ApplicationFailure.create({ type, message });

it.each([
  ['a workflow that is gone', failure('ExternalWorkflowExecutionNotFound'), true],
  ['one signal too many', failure('SignalCountLimitExceeded'), false],
  ['a missing namespace', failure('NamespaceNotFound'), false],
  ['an unknown reason', failure('Unspecified', 'because it was not found'), false],
  ['another error with the same words', new Error('… because it was not found'), false],
  ['a value that is not an error', 'ExternalWorkflowExecutionNotFound', false],
])('hasEnded of %s', (_name, error, expected) => {
  expect(hasEnded(error)).toBe(expected);
});
