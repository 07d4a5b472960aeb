import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { MediaServiceError } from '../../../api/errors';
import { applicationFailureOf } from '../../../temporal/application-failure';
import { errorOfFailure, innermostFailureOf, stepFailureOf } from '../../../temporal/failure';

const REFUSED = { outcome: 'refused' } as const;
const expired = new MediaServiceError(
  'StorageBusy',
  'part 7: storage is busy',
  { operation: 'part 7', status: 503, retryAfterMs: 2_500, hint: 'Wait.' },
  { cause: new Error('https://storage.example/x?X-Amz-Signature=deadbeef') },
);

const { NON_RETRYABLE_FAILURE } = RetryState;
const inActivity = (cause: Error): ActivityFailure =>
  new ActivityFailure('Activity task failed', 'sendPart', '1', NON_RETRYABLE_FAILURE, 'me', cause);

describe('applicationFailureOf', () => {
  it('has code, facts, retryability and the wait that the server asked for, but not the cause', () => {
    const failure = applicationFailureOf(expired);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'StorageBusy',
      message: 'part 7: storage is busy',
      nonRetryable: false,
      nextRetryDelay: 2_500,
      details: [expired.facts],
    });
    expect(failure.cause).toBeUndefined();
  });

  it('makes an error final if it is not temporary', () => {
    const gone = new MediaServiceError('SourceChanged', 'the source changed');
    expect(applicationFailureOf(gone)).toMatchObject({ type: 'SourceChanged', nonRetryable: true });
  });

  it('reports an unknown error as Internal, without anything that looks like a secret', () => {
    const failure = applicationFailureOf(new TypeError('GET https://s.example/x?X-Amz-Signature=deadbeef'));
    expect(failure).toMatchObject({ type: 'Internal', nonRetryable: true });
    expect(failure.message).not.toContain('deadbeef');
  });

  it.each([
    ['EMFILE', false],
    ['ESTALE', false],
    ['ENOSPC', false],
    ['ENOENT', true],
    ['EACCES', true],
  ])('lets a system error with %s be retried only if it may be temporary', (code, nonRetryable) => {
    const failure = applicationFailureOf(Object.assign(new Error(code), { code, syscall: 'open' }));
    expect(failure).toMatchObject({ type: 'Internal', nonRetryable });
  });

  it.each<[what: string, error: Error, delayMs: number]>([
    ['a final error', new MediaServiceError('OutputFailed', 'The disk is full.'), 8_000],
    ['an unknown error', new TypeError('x is not a function'), 8_000],
    ['a busy server', new MediaServiceError('RateLimited', 'Too many.', { retryAfterMs: 90_000 }), 90_000],
  ])('lets %s be retried if that is asked for, as late as it should be', (_what, error, nextRetryDelay) => {
    const failure = applicationFailureOf(error, { always: true, delayMs: 8_000 });
    expect(failure).toMatchObject({ nonRetryable: false, nextRetryDelay });
  });

  it('passes a cancellation unchanged', () => {
    const cancelled = new CancelledFailure('CANCELLED');
    expect(applicationFailureOf(cancelled)).toBe(cancelled);
  });
});

describe('stepFailureOf', () => {
  it('finds the error of an activity below any number of wrappers', () => {
    const cause = inActivity(applicationFailureOf(expired));
    const wrapped = new Error('Workflow execution failed', { cause });
    const { message, facts } = expired;
    expect(stepFailureOf(wrapped)).toEqual({ code: 'StorageBusy', message, facts });
  });

  it.each<[string, unknown, string, string | undefined]>([
    ['a cancellation', new CancelledFailure('CANCELLED'), 'Cancelled', undefined],
    ['a termination', new TerminatedFailure('terminated'), 'Cancelled', undefined],
    ['one of ours without facts', ApplicationFailure.create({ type: 'Transport' }), 'Transport', undefined],
    ['our own error', new MediaServiceError('LoginRefused', 'no', REFUSED), 'LoginRefused', 'refused'],
    ['a lost worker', new TimeoutFailure('timed out', undefined, 'HEARTBEAT'), 'Transport', 'ambiguous'],
    ['a failure of a foreign type', ApplicationFailure.create({ type: 'Foreign' }), 'Internal', 'ambiguous'],
    ['no error at all', 'text', 'Internal', 'ambiguous'],
  ])('reads %s inside an activity failure', (_name, cause, code, outcome) => {
    const error = cause instanceof Error ? inActivity(cause) : cause;
    const failure = stepFailureOf(error);
    expect([failure.code, failure.facts.outcome]).toEqual([code, outcome]);
  });

  it('says of what is no error that it is unknown', () => {
    expect(stepFailureOf('text').message).toBe('An unknown failure');
  });

  it('ends even if a chain of causes runs in a circle', () => {
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    expect(stepFailureOf(one)).toMatchObject({ code: 'Internal', message: 'one' });
  });
});

it('errorOfFailure returns our own error, with what Temporal threw as its cause', () => {
  const thrown = inActivity(applicationFailureOf(expired));
  const error = errorOfFailure(thrown);
  expect(error).toBeInstanceOf(MediaServiceError);
  expect([error.code, error.facts.retryAfterMs, error.cause]).toEqual(['StorageBusy', 2_500, thrown]);
  expect(errorOfFailure(error)).toBe(error);
});

it('the last failure below a time-out says more than the time-out, which says that nobody answered', () => {
  const timeout = new TimeoutFailure('timed out', undefined, 'SCHEDULE_TO_CLOSE');
  expect(innermostFailureOf(inActivity(timeout))).toMatchObject({
    code: 'Transport',
    facts: { details: { unanswered: true } },
  });
  Object.assign(timeout, { cause: applicationFailureOf(expired) });
  expect(innermostFailureOf(inActivity(timeout))).toMatchObject({ code: 'StorageBusy' });
});
