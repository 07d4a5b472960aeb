import { expect, it } from '@jest/globals';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { heldUpBy } from '../../../../temporal/client/held-up-by';

const described = (...lastFailures: unknown[]): Pick<WorkflowExecutionDescription, 'raw'> => ({
  raw: { pendingActivities: lastFailures.map((lastFailure) => ({ lastFailure })) } as never,
});
/** Payloads are what they hold; one that says so cannot be read. */
const read = (payloads: readonly unknown[]): Promise<unknown[]> =>
  payloads.includes('no key') ? Promise.reject(new Error('no key')) : Promise.resolve([...payloads]);
const failed = (type: string, ...payloads: unknown[]): unknown => ({
  message: '/out cannot be written',
  applicationFailureInfo: { type, details: { payloads } },
});
const EARLY = { message: 'still running', applicationFailureInfo: { category: 1 } };

it.each([
  ['nothing runs', [], undefined],
  ['a step runs for the first time', [null], undefined],
  ['a step was asked too early', [EARLY], undefined],
  [
    'a step of ours failed',
    [EARLY, failed('OutputFailed', { hint: 'Free some space.' })],
    { code: 'OutputFailed', message: '/out cannot be written', hint: 'Free some space.' },
  ],
  [
    'its details cannot be decrypted here',
    [failed('OutputFailed', 'no key')],
    { code: 'OutputFailed', message: '/out cannot be written' },
  ],
  [
    'a step failed in a way that is not foreseen',
    [{ message: 'out of memory' }],
    { code: 'Internal', message: 'out of memory' },
  ],
  [
    'the worker of a step was lost',
    [{ message: 'activity Heartbeat timeout', timeoutFailureInfo: {} }],
    { code: 'Transport', message: 'The worker was lost, or the step took longer than its time-out.' },
  ],
])('where %s', async (_label, failures, expected) => {
  expect(await heldUpBy(described(...failures), read)).toEqual(expected);
});
