import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { pemOf } from '../../nodes/MediaService/access/temporal-access';

const pem = (base64: string): string =>
  ['-----BEGIN CERTIFICATE-----', ...(base64.match(/.{1,64}/g) ?? []), '-----END CERTIFICATE-----', ''].join(
    '\n',
  );

test('PEM text whose line breaks became blanks, \\n or nothing is restored', () => {
  const base64 = fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((bytes) => Buffer.from(bytes).toString('base64'));
  const damage = fc.constantFrom(' ', '\\n', '', '\r\n', '\n');
  fc.assert(
    fc.property(fc.array(base64, { minLength: 1, maxLength: 3 }), damage, (blocks, lineBreak) => {
      const text = blocks.map(pem).join('');
      expect(pemOf(text.replaceAll('\n', lineBreak))).toBe(text);
    }),
  );
});

test('text that is not PEM comes back unchanged', () => {
  expect(pemOf('no certificate')).toBe('no certificate');
});
