import { isRetryable } from '../../../../../api/retry';
import { errorOfSmtp } from '../../../../../temporal/reports/activities/send-mail';

const ATTEMPT = { server: 'mail:25', smtpSecret: 'smtp', from: 'reports@example.org', to: 'ops@example.org' };
const failed = (facts: object): ReturnType<typeof errorOfSmtp> =>
  errorOfSmtp(Object.assign(new Error('it failed'), facts), ATTEMPT);

const LOGIN = { code: 'EAUTH', command: 'AUTH PLAIN' };

describe('the answer of a mail server', () => {
  it.each([
    ['greylisting', { responseCode: 450, command: 'RCPT TO' }, 'ServiceFailed refused, again'],
    ["a login that can't be checked now", { ...LOGIN, responseCode: 454 }, 'ServiceFailed refused, again'],
    ['a wrong password', { ...LOGIN, responseCode: 535 }, 'Configuration unsent'],
    ['an unknown receiver', { responseCode: 550, command: 'RCPT TO' }, 'RequestRefused refused'],
    ['content that is refused', { responseCode: 554, command: 'DATA' }, 'RequestRefused refused'],
    ['nobody there', { command: 'CONN' }, 'Transport unsent, again'],
    ['a connection lost after the mail', { command: 'DATA' }, 'Transport ambiguous, again'],
  ])('%s', (_name, facts, expected) => {
    const error = failed(facts);
    expect(`${error.code} ${error.outcome}${isRetryable(error) ? ', again' : ''}`).toBe(expected);
  });

  it('names the address that was refused', () => {
    const refused = { responseCode: 553 };
    expect(failed({ ...refused, command: 'MAIL FROM' }).message).toContain('the sender reports@example.org');
    expect(failed({ ...refused, command: 'RCPT TO' }).message).toContain('the recipient ops@example.org');
  });

  it('hides a password that the server repeats', () => {
    const error = failed({ ...LOGIN, responseCode: 535, response: '535 password=hunter2 is wrong' });
    expect(JSON.stringify([error.message, error.facts])).not.toContain('hunter2');
  });
});
