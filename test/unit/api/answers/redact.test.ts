import { describe, expect, test } from '@jest/globals';
import { redact } from '../../../../api/answers/redact';

const SECRET = 'c0ffee'.repeat(10);

describe('what looks like a secret goes', () => {
  test.each([
    [
      'the query of a URL',
      `PUT https://s3.example.com/bucket/key?partNumber=1&X-Amz-Signature=${SECRET} failed`,
      'PUT https://s3.example.com/bucket/key?… failed',
    ],
    ['credentials in a URL', 'https://me:hunter2@example.com/x', 'https://…@example.com/x'],
    [
      'signature parameters alone',
      `X-Amz-Signature=${SECRET}&X-Amz-Credential=AKIA/x`,
      'X-Amz-Signature=…&X-Amz-Credential=…',
    ],
    [
      'signature parameters that are encoded inside another query',
      'url=https%3A%2F%2Fs3%2Fx%3FX-Amz-Date%3D2026%26X-Amz-Signature%3Dabc123 failed',
      'url=https%3A%2F%2Fs3%2Fx%3F… failed',
    ],
    [
      'an encoded signature parameter alone',
      'at %3FX-Amz-Signature%3Dabc123%26next',
      'at %3FX-Amz-Signature%3D…%26next',
    ],
    ['credentials and query of a URL of any scheme', 'ftp://u:p@h/x?sig=1', 'ftp://…@h/x?…'],
    [
      'a token named in prose',
      'accessToken \'abc\' and secretKey "xyz"',
      'accessToken \'…\' and secretKey "…"',
    ],
    ['a bearer token', 'authorization was Bearer abc.def-1', 'authorization was Bearer …'],
    ['a JWT', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln!', 'got …!'],
    ['a named token in JSON', '{"accessToken":"abc","size":3}', '{"accessToken":"…","size":3}'],
    ['a named token in JSON inside JSON', '"{\\"accessToken\\":\\"abc\\"}"', '"{\\"accessToken\\":\\"…\\"}"'],
    ['a named key', 'apiKey=abc123, secretKey: xyz', 'apiKey=…, secretKey: …'],
    ['a long hexadecimal run', `signature was ${SECRET}`, 'signature was …'],
    ['a long opaque run', `sealed ${'aZ9_-'.repeat(20)}`, 'sealed …'],
  ])('%s', (_name, text, safe) => {
    expect(redact(text)).toBe(safe);
  });

  test('a secret that is given, whatever it looks like', () => {
    expect(redact('it was open sesame', ['open sesame'])).toBe('it was …');
  });
});

test.each([
  'size must not be above 1000',
  'ETag "9bb58f26192e4ba00f01e2e7b136bbd8" differs',
  'session 0b2c8d5e-8a1f-4a5e-9d53-0d6a6f3e8f10 at https://upload.example.com/upload/1',
  'the token has expired',
])('what tells no secret stays: %s', (text) => {
  expect(redact(text)).toBe(text);
});
