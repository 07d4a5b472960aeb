import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  ServerFailure,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { describe, expect, it } from '@jest/globals';
import type { GroupHeartbeat } from '../../../../../temporal/contract/groups';
import { failedEnd } from '../../../../../temporal/workflows/groups/upload-gatherer';

const heartbeat: GroupHeartbeat = { outcomes: [[1, { value: 'done' }]], tries: [], inputs: [], ended: 0 };

function failed(cause: Error): ActivityFailure {
  return new ActivityFailure('Activity task failed', 'x', '1', RetryState.TIMEOUT, undefined, cause);
}
const lost = failed(new TimeoutFailure('activity Heartbeat timeout', heartbeat, TimeoutType.HEARTBEAT));

describe('the end of a group whose activity failed', () => {
  it('keeps the last heartbeat of a lost worker, and sends the others again', () => {
    expect(failedEnd('sendParts', 2, lost)).toMatchObject({
      outcomes: [undefined, { value: 'done' }],
      rest: { then: 'again', failure: { code: 'Transport' } },
    });
  });

  it('makes a start without an answer ambiguous and unanswered', () => {
    expect(failedEnd('startSessions', 2, lost)).toMatchObject({
      outcomes: [undefined, { value: 'done' }],
      rest: {
        then: 'fail',
        failure: { facts: { outcome: 'ambiguous', details: { unanswered: true } } },
      },
    });
  });

  it.each([
    [
      'an error of our own fails the rest',
      ApplicationFailure.create({ type: 'Transport', message: 'm' }),
      'fail',
    ],
    ['a cancellation fails the rest', new CancelledFailure('cancelled'), 'fail'],
    [
      'a result that is too large divides the rest',
      new ServerFailure('Complete result exceeds size limit.', true),
      'divide',
    ],
    [
      'an error of the group itself divides the rest',
      ApplicationFailure.create({ type: 'GroupFailed', message: 'm' }),
      'divide',
    ],
  ])('%s', (_what, cause, then) => {
    expect(failedEnd('readSessions', 1, failed(cause))).toMatchObject({
      outcomes: [undefined],
      rest: { then },
    });
  });

  it('never repeats a start, whatever failed', () => {
    const end = failedEnd('startSessions', 1, failed(new ServerFailure('too large', true)));
    expect(end).toMatchObject({ rest: { then: 'fail', failure: { facts: { outcome: 'ambiguous' } } } });
  });
});
