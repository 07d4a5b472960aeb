import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ErrorFacts } from '../../../../api/errors';
import type { StepFailure } from '../../../../api/upload/types';
import { ERROR_CODES } from '../../../../api/errors';
import { causeOf, SameFailures } from '../../../../temporal/batch/pause-reasons';

function failure(code: StepFailure['code'], message: string, facts: ErrorFacts = {}): StepFailure {
  return { code, message, facts };
}

const missing = (number: number): StepFailure =>
  failure('SourceMissing', `the source /films/${number}.mp4 does not exist`, {
    field: 'source',
    hint: 'Check the name.',
  });
const REFUSED = failure('LoginRefused', 'login: refused.', { status: 401, operation: 'login' });

/** Whether each failure is a reason to pause. */
function reasons(failures: readonly StepFailure[], same = new SameFailures(10)): boolean[] {
  return failures.map((one) => same.failed(one) !== undefined);
}

function times(count: number, of: (number: number) => StepFailure): StepFailure[] {
  return Array.from({ length: count }, (_, number) => of(number));
}

describe('rows of a batch that fail for the same reason', () => {
  it('pause the batch at the tenth, with the code, the last error and what to do, whatever their files', () => {
    const same = new SameFailures(10);
    expect(reasons(times(9, missing), same)).not.toContain(true);
    expect(same.failed(missing(9))).toBe(
      '10 rows failed for the same reason (SourceMissing) and none was completed in between. ' +
        'The last one: the source /films/9.mp4 does not exist. Check the name. ' +
        'Once that is fixed, resume the batch; when it has ended, retry its failed rows.',
    );
  });

  it('are reported once, since a second report during the pause would undo its resume', () => {
    const same = new SameFailures(10);
    reasons(times(10, missing), same);
    expect(reasons(times(20, missing), same)).not.toContain(true);
  });

  it('count from 0 again after a completed row', () => {
    const same = new SameFailures(10);
    reasons(times(9, missing), same);
    same.completed();
    expect(reasons(times(9, missing), same)).not.toContain(true);
  });

  it('are not counted together with rows that fail for another reason', () => {
    const same = new SameFailures(10);
    const mixed = times(18, (number) => (number % 2 === 0 ? missing(number) : REFUSED));
    expect(reasons(mixed, same)).not.toContain(true);
    expect(same.failed(REFUSED)).toContain('(LoginRefused)');
    expect(same.failed(missing(18))).toContain('(SourceMissing)');
  });

  it.each([
    [1, 1],
    [25, 25],
  ])('pause the batch at the requested number: %i', (maxSameFailures, number) => {
    const found = reasons(times(60, missing), new SameFailures(maxSameFailures));
    expect(found.flatMap((is, index) => (is ? [index + 1] : []))).toEqual([number]);
  });

  it('never pause a batch whose limit is 0', () => {
    expect(reasons(times(500, missing), new SameFailures(0))).not.toContain(true);
  });
});

describe('the cause of a failure', () => {
  it('is the same whatever ids and figures a storage code names', () => {
    const [one, other] = ['NoSuchUpload-7f3a', 'NoSuchUpload-91'].map((storageCode) =>
      causeOf(failure('StorageRefused', '', { status: 403, details: { storageCode } })),
    );
    expect(one).toBe(other);
  });

  it('is the same for every file, part, session and wording', () => {
    const own = fc.record({
      message: fc.string(),
      part: fc.nat(),
      uploadId: fc.uuid(),
      requestId: fc.string(),
    });
    fc.assert(
      fc.property(fc.constantFrom(...ERROR_CODES), own, own, (code, one, other) => {
        const causes = [one, other].map(({ message, part, uploadId, requestId }) =>
          causeOf(
            failure(code, message, {
              operation: `part ${part}`,
              status: 403,
              requestId,
              serviceMessage: message,
              details: { partNumber: part, uploadId, storageCode: 'AccessDenied' },
            }),
          ),
        );
        expect(causes[0]).toBe(causes[1]);
      }),
    );
  });

  it.each<[string, StepFailure, StepFailure]>([
    ['codes', failure('SourceMissing', ''), failure('SourceChanged', '')],
    [
      'statuses',
      failure('RequestRefused', '', { status: 400, operation: 'upload start' }),
      failure('RequestRefused', '', { status: 403, operation: 'upload start' }),
    ],
    [
      'operations that were refused',
      failure('RequestRefused', '', { status: 400, operation: 'upload start' }),
      failure('RequestRefused', '', { status: 400, operation: 'upload complete' }),
    ],
    [
      'codes of storage',
      failure('StorageRefused', '', { status: 403, details: { storageCode: 'AccessDenied' } }),
      failure('StorageRefused', '', { status: 403, details: { storageCode: 'InvalidArgument' } }),
    ],
    [
      'settings that are wrong',
      failure('Configuration', '', { field: 's3' }),
      failure('Configuration', '', { field: 'secrets' }),
    ],
  ])('differs for different %s', (_what, one, other) => {
    expect(causeOf(one)).not.toBe(causeOf(other));
  });
});
