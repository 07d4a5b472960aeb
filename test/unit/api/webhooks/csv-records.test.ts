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
    ['a quote that is never closed', '"a,b', ['"a,b']],
    ['one column', 'id', ['id']],
    ['one quoted column', '"say ""hi"""', ['say "hi"']],
  ])('reads %s', (_label, record, fields) => {
    expect(csvFields(record)).toEqual(fields);
  });

  test('finds the same separator as the pattern for quoted fields, which takes exponential time', () => {
    const record = fc
      .array(fc.constantFrom('"', '""', ',', ';', '\t', 'a', ' '), { maxLength: 16 })
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(record, (line) => {
        const separator = /^(?:"(?:[^"]|"")*"|[^",;\t])*([,;\t])/.exec(line)?.[1];
        const cells = separator === undefined ? 1 : cellsOf(line, separator);
        expect(csvFields(line)).toHaveLength(cells);
      }),
      { numRuns: 500 },
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

/** The number of separators outside quotes, plus one. */
function cellsOf(line: string, separator: string): number {
  return line
    .split('"')
    .reduce((cells, text, index) => cells + (index % 2 === 0 ? text.split(separator).length - 1 : 0), 1);
}
