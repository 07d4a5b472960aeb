import { describe, expect, it } from '@jest/globals';
import { failureMail } from '../../../../reports/mail/failure-mail';

const FAILURE = {
  schedule: 'morning',
  accountId: 'acme-1a2b3c4d',
  at: '2026-11-21T06:00:00.000Z',
  reasons: ['mail:ops@example.org: refused <b>\r\nBcc: x. Check the address.'],
  reached: [],
  workflowId: 'report/acme/morning/run-1',
};

describe('the message about a failed report', () => {
  it('is marked, and says why it failed, which targets were reached and where to look', () => {
    const { subject, text } = failureMail(FAILURE);
    expect(subject).toBe('FAILED: scheduled report "morning" [acme-1a2b3c4d]');
    expect(text.split('\n')).toEqual([
      'The scheduled report "morning" of the account acme-1a2b3c4d failed at 2026-11-21T06:00:00.000Z:',
      '- mail:ops@example.org: refused <b> Bcc: x. Check the address.',
      '',
      'It reached none of its targets.',
      'Nothing is lost: the next run delivers what is missing.',
      'Look at it in Temporal: workflow report/acme/morning/run-1.',
      '',
    ]);
    expect(failureMail({ ...FAILURE, reached: ['file:/srv', 's3://a/b'] }).text).toContain(
      'It did reach: file:/srv, s3://a/b.',
    );
  });

  it('escapes markup in the reasons', () => {
    expect(failureMail(FAILURE).html).toContain('refused &lt;b&gt;');
  });
});
