import * as fc from 'fast-check';
import { ValidationError } from '../../../../api/errors';
import { encoded, pathSegment } from '../../../../api/service/encoded';

describe('a segment of a path', () => {
  it('stays one segment and leads nowhere else, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(text.trim() !== '' && text !== '.' && text !== '..');
        const { pathname } = new URL(`https://api.example/upload/${pathSegment('uploadId', text)}/complete`);
        expect(decodeURIComponent(pathname)).toBe(`/upload/${text}/complete`);
      }),
    );
  });

  it.each(['', ' ', '.', '..', 'u-\ud800'])('is refused by its field if it is %j', (text) => {
    expect(() => pathSegment('uploadId', text)).toThrow(ValidationError);
    expect(() => pathSegment('uploadId', text)).toThrow('"uploadId" can\'t be part of an address');
  });
});

it('text in a query that is not valid Unicode is refused, and the error names the field', () => {
  expect(encoded('mediaId', 'a b/ü')).toBe('a%20b%2F%C3%BC');
  expect(() => encoded('mediaId', '\udc00')).toThrow('"mediaId" isn\'t valid Unicode');
});
