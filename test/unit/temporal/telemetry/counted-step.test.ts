import { CancelledFailure } from '@temporalio/common';
import { MediaServiceError } from '../../../../api/errors';
import type { UploadSession } from '../../../../api/upload/protocol/session';
import type { Metrics } from '../../../../temporal/metrics';
import { countedPart, countedPoll, countedStep } from '../../../../temporal/telemetry/activities';

type Counted = Parameters<typeof countedPart>[0];

/** What is counted during one try: names, the values of labels, and numbers. */
async function countsOf(run: (counted: Counted) => unknown): Promise<string[]> {
  const counts: string[] = [];
  const count = (name: string, labels: Readonly<Record<string, string>>, value: number): void =>
    void counts.push([name, ...Object.values(labels), value].join(' '));
  const metrics: Metrics = {
    set: count,
    add: (name, labels, by = 1) => count(name, labels, by),
    observe: count,
  };
  await Promise.resolve(run({ metrics, account: 'a' })).catch(() => undefined);
  return counts;
}

const failsWith = (code: MediaServiceError['code']) => () => Promise.reject(new MediaServiceError(code, 'm'));
const part = (send: () => Promise<{ bytes: number; ms: number }>) => (counted: Counted) =>
  countedPart(counted, send);
const poll = (outcome: Parameters<typeof countedPoll>[1]) => (counted: Counted) =>
  countedPoll(counted, outcome);
const SENT = part(() => Promise.resolve({ bytes: 7, ms: 2_000 }));
const CANCELLED = part(() => Promise.reject(new CancelledFailure('CANCELLED')));
const COMPLETED = { done: true, session: { status: 'COMPLETED' } as UploadSession } as const;
const PENDING = { done: false, status: 'PENDING_COMPLETE' } as const;
const BUSY = ['activityFailures a sendPart StorageBusy 1', 'parts a failed 1', 'partRetries a StorageBusy 1'];

it.each<[what: string, run: (counted: Counted) => unknown, counts: readonly string[]]>([
  ['a part that was sent', SENT, ['parts a sent 1', 'partBytes a 7', 'partDuration a 2']],
  ['a part that is tried again', part(failsWith('StorageBusy')), BUSY],
  [
    'a part that is requeued',
    part(failsWith('WorkerBusy')),
    ['parts a requeued 1', 'partRetries a WorkerBusy 1'],
  ],
  ['a part that is cancelled', CANCELLED, ['parts a cancelled 1']],
  ['a session that has ended', poll(COMPLETED), ['sessionPolls a completed 1']],
  ['a session that is still processed', poll(PENDING), ['sessionPolls a still_processing 1']],
  [
    'another step that fails',
    (counted) => countedStep({ ...counted, step: 'startSession' }, failsWith('RequestRefused')),
    ['activityFailures a startSession RequestRefused 1'],
  ],
])('a try of a step counts %s', async (_what, run, counts) => {
  expect(await countsOf(run)).toEqual(counts);
});
