import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvFields } from '../../../../api/webhooks/csv-records';
import { endsInTime, HOSTILE_LENGTH } from '../../../support/hostile-text';

describe('csvFields', () => {
  test.each([
    ['commas', 'id,status,reason', ['id', 'status', 'reason']],
    ['semicolons', 'id;status,a;reason', ['id', 'status,a', 'reason']],
    ['empty fields', ',,', ['', '', '']],
    ['tabs, with a line end', 'id\tstatus\r\n', ['id', 'status']],
    ['quotes around separators', '"a,b";"say ""hi""";c', ['a,b', 'say "hi"', 'c']],
    ['a quote that is never closed', '"a,b', ['"a', 'b']],
    ['a quote inside a field', '5" of rain,6" of snow', ['5" of rain', '6" of snow']],
    ['one column', 'id', ['id']],
    ['one quoted column', '"say ""hi"""', ['say "hi"']],
  ])('reads %s', (_label, record, fields) => {
    expect(csvFields(record)).toEqual(fields);
  });

  test('reads what was quoted, whatever it contains', () => {
    const values = fc.array(fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', 'a') }), {
      minLength: 2,
    });
    fc.assert(
      fc.property(values, fc.constantFrom(',', ';', '\t'), (fields, separator) => {
        const line = fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(separator);
        expect(csvFields(line)).toEqual(fields);
      }),
    );
  });

  test.each([
    ['doubled quotes', '""'],
    ['quotes', '"'],
    ['quoted separators', '",'],
    ['quotes and blanks', '" '],
    ['separators', ','],
    ['blanks', ' '],
  ])('reads 1 MB of %s in one column', (_label, piece) => {
    endsInTime(() => {
      for (const end of ['', '"', 'x', '"\r\n'])
        csvFields(`"${piece.repeat(HOSTILE_LENGTH / piece.length)}${end}`);
    });
  });
});
