import { CancelledFailure } from '@temporalio/common';
import { MediaServiceError } from '../../../../api/errors';
import type { UploadSession } from '../../../../api/upload/protocol/session';
import type { Metrics } from '../../../../temporal/metrics';
import { countedPart, countedPoll, countedStep } from '../../../../temporal/telemetry/activities';

type Counted = Parameters<typeof countedPart>[0];

/** What is counted during one try. */
async function countsOf(run: (counted: Counted) => unknown): Promise<unknown[]> {
  const counts: unknown[] = [];
  const metrics: Metrics = {
    set: () => undefined,
    add: (name, labels, by = 1) => void counts.push([name, labels, by]),
    observe: (name, labels, value) => void counts.push([name, labels, value]),
  };
  await Promise.resolve(run({ metrics, account })).catch(() => undefined);
  return counts;
}

const account = 'a';
const failsWith = (code: MediaServiceError['code']) => () => Promise.reject(new MediaServiceError(code, 'm'));
const partFails = (code: MediaServiceError['code']) => (counted: Counted) =>
  countedPart(counted, failsWith(code));

it.each<[what: string, run: (counted: Counted) => unknown, counts: readonly unknown[]]>([
  [
    'a part that was sent',
    (counted) => countedPart(counted, () => Promise.resolve({ bytes: 7, ms: 2_000 })),
    [
      ['parts', { account, outcome: 'sent' }, 1],
      ['partBytes', { account }, 7],
      ['partDuration', { account }, 2],
    ],
  ],
  [
    'a part that is tried again',
    partFails('StorageBusy'),
    [
      ['activityFailures', { account, activity: 'sendPart', code: 'StorageBusy' }, 1],
      ['parts', { account, outcome: 'failed' }, 1],
      ['partRetries', { account, code: 'StorageBusy' }, 1],
    ],
  ],
  [
    'a part that is requeued',
    partFails('WorkerBusy'),
    [
      ['parts', { account, outcome: 'requeued' }, 1],
      ['partRetries', { account, code: 'WorkerBusy' }, 1],
    ],
  ],
  [
    'a part that is cancelled',
    (counted) => countedPart(counted, () => Promise.reject(new CancelledFailure('CANCELLED'))),
    [['parts', { account, outcome: 'cancelled' }, 1]],
  ],
  [
    'a session that has ended',
    (counted) => countedPoll(counted, { done: true, session: { status: 'COMPLETED' } as UploadSession }),
    [['sessionPolls', { account, outcome: 'completed' }, 1]],
  ],
  [
    'a session that is still processed',
    (counted) => countedPoll(counted, { done: false, status: 'PENDING_COMPLETE' }),
    [['sessionPolls', { account, outcome: 'still_processing' }, 1]],
  ],
  [
    'another step that fails',
    (counted) => countedStep({ ...counted, step: 'startSession' }, failsWith('RequestRefused')),
    [['activityFailures', { account, activity: 'startSession', code: 'RequestRefused' }, 1]],
  ],
])('a try of a step counts %s', async (_what, run, counts) => {
  expect(await countsOf(run)).toEqual(counts);
});
