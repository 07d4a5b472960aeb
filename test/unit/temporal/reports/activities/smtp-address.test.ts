import { smtpAddress } from '../../../../../temporal/reports/activities/send-mail';

describe('the address of a mail server', () => {
  it.each([
    [
      'smtps://u:p@mail.example.org',
      { port: 465, secure: true, requireTLS: false, auth: { user: 'u', pass: 'p' } },
    ],
    ['smtp://u:p@mail.example.org', { port: 587, secure: false, requireTLS: true }],
    ['smtp://mail.example.org', { port: 25, secure: false, requireTLS: false }],
    ['smtp://u:p@127.0.0.1:2525', { host: '127.0.0.1', port: 2525, requireTLS: false }],
    ['smtp://u:p@[::1]:2525/', { host: '::1', port: 2525, requireTLS: false }],
    [
      'smtps://me%40example.org:a%2Fb%3Ac@mail.example.org\n',
      { auth: { user: 'me@example.org', pass: 'a/b:c' } },
    ],
  ])('%s can be read, and a password is never sent unencrypted', (secret, expected) => {
    expect(smtpAddress(secret, 'smtp')).toMatchObject(expected);
  });

  it.each([
    ['no address', 'mail.example.org'],
    ['another scheme', 'https://u:hidden@mail.example.org'],
    ['options behind it', 'smtp://u:hidden@mail.example.org/?tls.rejectUnauthorized=false'],
    ['an object', { host: 'mail.example.org', password: 'hidden' }],
    ['a lone percent sign', 'smtp://u:hidden%@mail.example.org'],
    ['nothing', ''],
  ])('is refused if it is %s, without showing it', (_name, secret) => {
    expect(() => smtpAddress(secret, 'smtp')).toThrow(
      expect.objectContaining({
        code: 'Configuration',
        message: expect.not.stringContaining('hidden'),
        facts: expect.objectContaining({ field: 'smtpSecret', hint: expect.any(String) }),
      }),
    );
  });
});
