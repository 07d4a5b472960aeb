import fc from 'fast-check';
import { createCsvJoin } from '../../../../api/webhooks/csv-records';

function joined(pages: readonly string[]): { text: string; records: number[] } {
  const join = createCsvJoin();
  const result: ReturnType<typeof joined> = { text: '', records: [] };
  for (const page of pages) {
    const read = join.read(page);
    result.records.push(read.items.length);
    result.text += join.append(read);
  }
  return result;
}

const value = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...['FAILED', '2026-11-01T00:00:00Z', '', 'line\nbreak', 'cr\r\nlf', 'say "hi"', 'a,b', '7'],
  ),
);
const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`;

test('any number of pages makes one file: the header once, every record unchanged and in order', () => {
  const scene = fc.record({
    eol: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\uFEFF'),
    pages: fc.array(
      fc.record({
        rows: fc.array(fc.tuple(fc.uuid(), value, value), { maxLength: 5 }),
        endsInBreak: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  });
  fc.assert(
    fc.property(scene, ({ eol, mark, pages }) => {
      const header = 'id,status,message';
      const lines = pages.map(({ rows }) => rows.map((row) => row.map(quoted).join(',')));
      const texts = lines.map(
        (rows, page) => mark + [header, ...rows].join(eol) + (pages[page]?.endsInBreak ? eol : ''),
      );
      const { text, records } = joined(texts);
      expect(text.replace(/(\r\n|\n)$/, '')).toBe(mark + [header, ...lines.flat()].join(eol));
      expect(records).toEqual(lines.map((rows) => rows.length));
    }),
  );
});

test('text loses only repeated headers, byte order marks and blank ends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', '\r', ' ') }), { maxLength: 4 }),
      (pages) => {
        const compact = (text: string): string => text.replace(/\s/g, '');
        const headerless = joined(['1,2\n', ...pages]);
        expect(compact(headerless.text)).toBe(compact(['1,2\n', ...pages].join('')));
      },
    ),
  );
});

test.each([
  ['inside a field', '5" of rain'],
  ['after a field', 'rain 5"'],
  ['that nothing closes', '"5 of rain'],
  ['inside a quoted field', '"5" of rain, and 6"'],
])('a quote %s changes no record, and hides none', (_what, field) => {
  const pages = [`id,message\n1,${field}\n2,dry\n`, `id,message\n3,dry\n4,${field}\n`];
  const { text, records } = joined(pages);
  expect(text).toBe(`id,message\n1,${field}\n2,dry\n3,dry\n4,${field}\n`);
  expect(records).toEqual([2, 2]);
});

test.each<[string, string[], string, number[]]>([
  [
    "that a later page lacks is not missed: that page's first record is kept",
    ['id,status\n1,FAILED\n', '2,SUCCESS\n3,FAILED\n'],
    'id,status\n1,FAILED\n2,SUCCESS\n3,FAILED\n',
    [1, 2],
  ],
  [
    'that differs on a later page is kept like a record, so that its records can be read',
    ['id,status\n1,FAILED\n', 'id,status,error\n2,FAILED,x\n', 'id,status,error\n3,FAILED,y\n'],
    'id,status\n1,FAILED\nid,status,error\n2,FAILED,x\nid,status,error\n3,FAILED,y\n',
    [1, 2, 2],
  ],
  ['that is missing everywhere hides no record', ['1,a\n', '2,a\n'], '1,a\n2,a\n', [1, 1]],
  [
    'counts as the same if it differs only in quotes, case and line end',
    ['id,status\n1,FAILED', '"ID","Status"\r\n2,FAILED\r\n'],
    'id,status\n1,FAILED\n2,FAILED\r\n',
    [1, 1],
  ],
  ['is written for an empty export', ['id,status\r\n'], 'id,status\r\n', [0]],
])('a header %s', (_what, pages, text, records) => {
  expect(joined(pages)).toEqual({ text, records });
});
