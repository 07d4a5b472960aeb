import { CancelledFailure } from '@temporalio/common';
import { expect, it } from '@jest/globals';
import { MediaServiceError } from '../../../../api/errors';
import type { Metrics } from '../../../../temporal/metrics';
import { countedStep } from '../../../../temporal/telemetry/activities';

/** What is counted during one try of a step. */
async function countsOf(step: string, run: () => Promise<unknown>): Promise<unknown[]> {
  const counts: unknown[] = [];
  const metrics: Metrics = {
    set: () => undefined,
    add: (name, labels, by = 1) => void counts.push([name, labels, by]),
    observe: (name, labels, value) => void counts.push([name, labels, value]),
  };
  const watched = { step, attempt: 1, facts: { accountId: 'a' } };
  await countedStep(metrics, watched, run).catch(() => undefined);
  return counts;
}

const account = 'a';
const fails = (code: MediaServiceError['code']) => () => Promise.reject(new MediaServiceError(code, 'm'));

it.each<[what: string, step: string, run: () => Promise<unknown>, counts: readonly unknown[]]>([
  [
    'a part that was sent',
    'sendPart',
    () => Promise.resolve({ bytes: 7, ms: 2_000 }),
    [
      ['parts', { account, outcome: 'sent' }, 1],
      ['partBytes', { account }, 7],
      ['partDuration', { account }, 2],
    ],
  ],
  [
    'a part that is tried again',
    'sendPart',
    fails('StorageBusy'),
    [
      ['activityFailures', { account, activity: 'sendPart', code: 'StorageBusy' }, 1],
      ['parts', { account, outcome: 'failed' }, 1],
      ['partRetries', { account, code: 'StorageBusy' }, 1],
    ],
  ],
  [
    'a part that is requeued',
    'sendPart',
    fails('WorkerBusy'),
    [
      ['parts', { account, outcome: 'requeued' }, 1],
      ['partRetries', { account, code: 'WorkerBusy' }, 1],
    ],
  ],
  [
    'a part that is cancelled',
    'sendPart',
    () => Promise.reject(new CancelledFailure('CANCELLED')),
    [['parts', { account, outcome: 'cancelled' }, 1]],
  ],
  [
    'a session that has ended',
    'pollSession',
    () => Promise.resolve({ done: true, session: { status: 'COMPLETED' } }),
    [['sessionPolls', { account, outcome: 'completed' }, 1]],
  ],
  [
    'a session that is still processed',
    'pollSession',
    () => Promise.resolve({ done: false, status: 'PENDING_COMPLETE' }),
    [['sessionPolls', { account, outcome: 'still_processing' }, 1]],
  ],
  [
    'another step that fails',
    'startSession',
    fails('RequestRefused'),
    [['activityFailures', { account, activity: 'startSession', code: 'RequestRefused' }, 1]],
  ],
])('a try of a step counts %s', async (_what, step, run, counts) => {
  expect(await countsOf(step, run)).toEqual(counts);
});
