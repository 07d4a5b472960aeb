import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loginBody, signLoginBody } from '../../../../api/login/login';

test('a known body and key give the same signature as OpenSSL', () => {
  // printf '%s' '{"timestamp":"2026-11-01T12:00:00.000Z"}' | openssl dgst -sha256 -hmac secret
  const body = loginBody('2026-11-01T12:00:00.000Z');
  expect(body).toBe('{"timestamp":"2026-11-01T12:00:00.000Z"}');
  expect(signLoginBody(body, 'secret')).toBe(
    '86d939052118bf5da3bfcdef3b5058231912f0ec626e5de5625957e699baeaf2',
  );
});

test('a signature has no whitespace, one member and lower-case hexadecimal over UTF-8, for any moment and key', () => {
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      (date, key) => {
        const body = loginBody(date.toISOString());
        expect(body).not.toMatch(/\s/);
        expect(JSON.parse(body)).toEqual({ timestamp: date.toISOString() });
        expect(signLoginBody(body, key)).toMatch(/^[0-9a-f]{64}$/);
        expect(signLoginBody(body, key)).toBe(
          createHmac('sha256', Buffer.from(key)).update(Buffer.from(body)).digest('hex'),
        );
      },
    ),
  );
});
