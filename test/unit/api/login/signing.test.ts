import { expect, test } from '@jest/globals';
import { loginBody, signLoginBody } from '../../../../api/login/login';

test('a known body and key give the same signature as OpenSSL', () => {
  // printf '%s' '{"timestamp":"2026-11-01T12:00:00.000Z"}' | openssl dgst -sha256 -hmac secret
  const body = loginBody('2026-11-01T12:00:00.000Z');
  expect(body).toBe('{"timestamp":"2026-11-01T12:00:00.000Z"}');
  expect(signLoginBody(body, 'secret')).toBe(
    '86d939052118bf5da3bfcdef3b5058231912f0ec626e5de5625957e699baeaf2',
  );
});
