import { describe, expect, it } from '@jest/globals';
import type { AccountLine } from '../../../../../temporal/contract/batch';
import { RefusedLogins } from '../../../../../temporal/workflows/batch/refused-logins';

type End = Pick<AccountLine, 'status' | 'error'>;

const REFUSED: End = { status: 'FAILED', error: { code: 'LoginRefused', message: 'login: refused.' } };
const COMPLETED: End = { status: 'COMPLETED' };
const FAILED: End = { status: 'FAILED', error: { code: 'SourceMissing', message: 'It is gone.' } };

function verdicts(ends: readonly End[], logins = new RefusedLogins()): boolean[] {
  return ends.map((end) => logins.ended(end) !== undefined);
}

function times(count: number, end: End): End[] {
  return Array.from({ length: count }, () => end);
}

describe('refused logins of a page', () => {
  it('are a reason to pause at the tenth, with what the service said', () => {
    const logins = new RefusedLogins();
    expect(verdicts(times(9, REFUSED), logins)).not.toContain(true);
    const reason = logins.ended(REFUSED);
    expect(reason).toContain('login: refused.');
    expect(reason).toContain('Resume the batch when that is mended');
  });

  it('are told once: what ends while the batch pauses would undo its resume', () => {
    const logins = new RefusedLogins();
    verdicts(times(10, REFUSED), logins);
    expect(verdicts(times(20, REFUSED), logins)).not.toContain(true);
  });

  it('count anew once a row is completed, since the account gets in', () => {
    expect(verdicts([...times(9, REFUSED), COMPLETED, ...times(9, REFUSED)])).not.toContain(true);
  });

  it('are told apart from rows that fail for another reason, which neither count nor reset', () => {
    expect(verdicts(times(30, FAILED))).not.toContain(true);
    expect(verdicts([...times(9, REFUSED), FAILED, REFUSED])).toEqual([
      ...times(10, FAILED).map(() => false),
      true,
    ]);
  });

  it('count anew after a resume', () => {
    const logins = new RefusedLogins();
    verdicts(times(10, REFUSED), logins);
    logins.forgive();
    expect(verdicts(times(10, REFUSED), logins)).toEqual([...times(9, FAILED).map(() => false), true]);
  });
});
