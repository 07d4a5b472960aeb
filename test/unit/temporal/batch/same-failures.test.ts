import fc from 'fast-check';
import type { ErrorFacts } from '../../../../api/errors';
import type { StepFailure } from '../../../../api/upload/types';
import { ERROR_CODES, MediaServiceError } from '../../../../api/errors';
import {
  causeOf,
  limitsFailures,
  reasonOfSame,
  SameFailures,
} from '../../../../temporal/batch/pause-reasons';

function failure(code: StepFailure['code'], message: string, facts: ErrorFacts = {}): StepFailure {
  return { code, message, facts };
}

const missing = (number: number): StepFailure =>
  failure('SourceMissing', `the source /films/${number}.mp4 does not exist`, {
    field: 'source',
    hint: 'Check the name.',
  });
const REFUSED = failure('LoginRefused', 'login: refused.', { status: 401, operation: 'login' });

/** Whether each failure reaches the limit. */
function reached(failures: readonly StepFailure[], same = new SameFailures(10)): boolean[] {
  return failures.map((one) => same.failed(one));
}

function times(count: number, of: (number: number) => StepFailure): StepFailure[] {
  return Array.from({ length: count }, (_, number) => of(number));
}

describe('rows of a worker that fail for the same reason', () => {
  it.each([1, 10, 25])('reach the limit of %i once, whatever their files', (max) => {
    const found = reached(times(60, missing), new SameFailures(max));
    expect(found.flatMap((is, index) => (is ? [index + 1] : []))).toEqual([max]);
  });

  it('count from 0 again after a completed row', () => {
    const same = new SameFailures(10);
    reached(times(9, missing), same);
    same.completed();
    expect(reached(times(9, missing), same)).not.toContain(true);
  });

  it('are not counted together with rows that fail for another reason', () => {
    const same = new SameFailures(10);
    const mixed = times(18, (number) => (number % 2 === 0 ? missing(number) : REFUSED));
    expect(reached(mixed, same)).not.toContain(true);
    expect(same.failed(REFUSED)).toBe(true);
  });

  it('never reach a limit of 0, and are not reported', () => {
    const same = new SameFailures(0);
    expect(reached(times(500, missing), same)).not.toContain(true);
    expect(same.unreported()).toBeUndefined();
  });

  it('are reported from a third of the limit to the limit, each number once, and a completed row takes them back', () => {
    const same = new SameFailures(10);
    const counts = times(12, missing).map((one) => {
      same.failed(one);
      return same.unreported()?.count;
    });
    expect(counts).toEqual([undefined, undefined, undefined, 4, 5, 6, 7, 8, 9, 10, undefined, undefined]);
    expect(same.unreported()).toBeUndefined();
    same.completed();
    expect([same.unreported()?.count, same.unreported()]).toEqual([0, undefined]);
  });

  it('are reported for 20 runs at most, except at the limit, because a history has room for few signals', () => {
    const same = new SameFailures(10);
    const reports = times(30, missing).flatMap((one) => {
      reached([one, one, one, one, one], same);
      const run = same.unreported();
      same.completed();
      return [run, same.unreported()].filter((report) => report !== undefined);
    });
    expect(reports).toHaveLength(40);
    reached(times(10, missing), same);
    expect(same.unreported()).toMatchObject({ count: 10 });
  });

  it('are reported as a signal can carry them', () => {
    const same = new SameFailures(1);
    same.failed(new MediaServiceError('SourceMissing', 'It is gone.', { field: 'source' }));
    const sent: unknown = JSON.parse(JSON.stringify(same.unreported()));
    const last = { code: 'SourceMissing', message: 'It is gone.', facts: { field: 'source' } };
    expect(sent).toMatchObject({ count: 1, last });
  });
});

describe('what the workers of a batch found', () => {
  const found = (count: number, last = missing(9)) => ({ cause: causeOf(last), count, last });

  it('pauses it once their rows with the same reason reach the limit, and says what to do', () => {
    expect(reasonOfSame(10, [found(6), found(9, REFUSED), found(3)])).toBeUndefined();
    expect(reasonOfSame(10, [found(6), found(9, REFUSED), found(4)])).toBe(
      '10 rows failed for the same reason (SourceMissing) and none was completed in between. ' +
        'The last one: the source /films/9.mp4 does not exist. Check the name. ' +
        'Once that is fixed, resume the batch; when it has ended, retry its failed rows.',
    );
  });

  it('never pauses a batch without the limit', () => {
    expect(reasonOfSame(0, [found(500)])).toBeUndefined();
  });
});

it.each([
  [{}, false],
  [{ maxFailures: 1 }, true],
  [{ maxFailureRate: 0.1 }, true],
])('the root must know each failed row with %j: %s', (options, must) => {
  expect(limitsFailures(options)).toBe(must);
});

describe('the cause of a failure', () => {
  it('is the same whatever ids and figures a storage code names', () => {
    const [one, other] = ['NoSuchUpload-7f3a', 'NoSuchUpload-91'].map((storageCode) =>
      causeOf({ code: 'StorageRefused', facts: { details: { storageCode } } }),
    );
    expect(one).toBe(other);
  });

  it('is the same for every file, part, session and wording', () => {
    const text = fc.string();
    const own = fc.record({ message: text, part: fc.nat(), uploadId: fc.uuid(), requestId: text });
    fc.assert(
      fc.property(fc.constantFrom(...ERROR_CODES), own, own, (code, one, other) => {
        const causes = [one, other].map(({ message, part, uploadId, requestId }) =>
          causeOf({
            code,
            facts: {
              ...{ operation: `part ${part}`, status: 403, requestId, serviceMessage: message },
              details: { partNumber: part, uploadId, storageCode: 'AccessDenied' },
            },
          }),
        );
        expect(causes[0]).toBe(causes[1]);
      }),
    );
  });

  const START = { status: 400, operation: 'upload start' };
  const storage = (storageCode: string) => ({ status: 403, details: { storageCode } });

  it.each<[string, ErrorFacts, ErrorFacts]>([
    ['statuses', START, { ...START, status: 403 }],
    ['operations that were refused', START, { ...START, operation: 'upload complete' }],
    ['codes of storage', storage('AccessDenied'), storage('InvalidArgument')],
    ['settings that are wrong', { field: 's3' }, { field: 'secrets' }],
  ])('differs for different %s', (_what, one, other) => {
    const [first, second] = [one, other].map((facts) => causeOf({ code: 'Configuration', facts }));
    expect(first).not.toBe(second);
  });

  it('differs for different codes', () => {
    const [first, second] = (['SourceMissing', 'SourceChanged'] as const).map((code) =>
      causeOf({ code, facts: {} }),
    );
    expect(first).not.toBe(second);
  });
});
