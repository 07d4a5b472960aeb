import fc from 'fast-check';
import { accountId, checkAccount } from '../../../api/account';
import type { Account } from '../../../api/account';
import type { MediaServiceError } from '../../../api/errors';
import { adviceText } from '../../../api/advice';
import { thrownBy } from './upload/failure-of';

const good: Account = {
  baseUrl: 'https://media.example.com',
  uploadUrl: 'https://upload.example.com',
  externalId: 'Sub 7',
  apiKey: 'api-key-1',
  secretKey: 'secret-key-1',
};

const refusalOf = (account: Account): MediaServiceError => thrownBy(() => checkAccount(account));

test.each([
  ['a trailing slash', 'https://media.example.com/', 'https://media.example.com'],
  ['several', 'https://media.example.com///', 'https://media.example.com'],
  ['a path', 'https://gateway.example.com/media/v1/', 'https://gateway.example.com/media/v1'],
  ['capitals in the host', 'HTTPS://Media.Example.COM', 'https://media.example.com'],
  ['the default port', 'https://media.example.com:443', 'https://media.example.com'],
  ['blanks around', '  https://media.example.com\n', 'https://media.example.com'],
  ['http to loopback', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
  ['http to localhost', 'http://localhost:8080', 'http://localhost:8080'],
  ['http to IPv6 loopback', 'http://[::1]:8080', 'http://[::1]:8080'],
])('an address with %s is accepted in its normal form', (_name, baseUrl, normal) => {
  expect(checkAccount({ ...good, baseUrl }).baseUrl).toBe(normal);
});

test.each([
  ['nothing', '', 'baseUrl is empty'],
  ['no scheme', 'media.example.com', 'baseUrl must start with http:// or https://'],
  ['another scheme', 'ftp://media.example.com', 'baseUrl must start with http:// or https://'],
  ['words', 'the usual one', 'baseUrl must start with http:// or https://'],
  ['a query', 'https://media.example.com?tenant=1', 'baseUrl has a query or a fragment'],
  ['a fragment', 'https://media.example.com#top', 'baseUrl has a query or a fragment'],
  ['credentials', 'https://me:hunter22@media.example.com', 'baseUrl holds a user name or password'],
  ['plain http to a remote host', 'http://media.example.com', 'baseUrl is plain http to media.example.com'],
  ['plain http to a host like loopback', 'http://127.0.0.1.example.com', 'baseUrl is plain http'],
  [
    'the login',
    'https://media.example.com/api/login',
    'baseUrl ends in the path of an operation, /api/login',
  ],
])('an address with %s is refused', (_name, baseUrl, message) => {
  const refusal = refusalOf({ ...good, baseUrl });
  expect(refusal).toMatchObject({ code: 'Configuration', facts: { field: 'baseUrl' } });
  expect(adviceText(refusal.facts)).toEqual(expect.any(String));
  expect(refusal.message).toContain(message);
  expect(`${refusal.message} ${adviceText(refusal.facts)}`).not.toContain('hunter22');
});

test('plain http to a remote host is accepted if it is allowed explicitly', () => {
  const account = checkAccount({ ...good, baseUrl: 'http://media.internal' }, { allowPlainHttp: true });
  expect(account.baseUrl).toBe('http://media.internal');
});

test.each([
  ['apiKey', '', 'apiKey is empty'],
  ['secretKey', '   ', 'secretKey is empty'],
  ['externalId', '', 'externalId is empty'],
  ['apiKey', 'key-abc\n', 'apiKey begins or ends with whitespace'],
  ['secretKey', ' key-abc', 'secretKey begins or ends with whitespace'],
  ['apiKey', '"key-abc"', 'apiKey is in quotes'],
  ['secretKey', "'key-abc'", 'secretKey is in quotes'],
  ['apiKey', 'key-abc key-abc', 'apiKey holds a blank inside'],
  ['apiKey', 'key–abc', "apiKey has a character that can't be sent in a header (U+2013 at position 4)"],
  [
    'externalId',
    'sub\r\nx-evil: 1',
    "externalId has a character that can't be sent in a header (U+000D at position 4)",
  ],
])('an account is refused for %s = %j, which the message does not show', (field, value, message) => {
  const refusal = refusalOf({ ...good, [field]: value });
  expect(refusal).toMatchObject({ code: 'Configuration', message, facts: { field } });
  expect(`${refusal.message} ${refusal.facts.hint}`).not.toContain('abc');
});

describe('the ID of an account', () => {
  test('is a slug of the external ID and eight hexadecimal digits', () => {
    expect(accountId(good)).toMatch(/^sub-7-[0-9a-f]{8}$/);
  });

  test('is the same however the addresses are written', () => {
    expect(accountId({ ...good, baseUrl: 'HTTPS://media.example.com:443/' })).toBe(accountId(good));
  });

  test('differs between release candidate and production', () => {
    expect(accountId({ ...good, uploadUrl: 'https://rc.example.com' })).not.toBe(accountId(good));
  });

  test('can be part of queue and file names whatever the external ID is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (externalId) => {
        expect(accountId({ ...good, externalId })).toMatch(
          /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?-[0-9a-f]{8}$/,
        );
      }),
    );
  });
});
