import fc from 'fast-check';
import { COLUMNS, TAG_PREFIX } from '../../../manifest/columns';
import { manifestWriter, type WritableRow } from '../../../manifest/write-manifest';
import { readAll } from './manifest-text';

const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('"', ',', ';', '\n', '\r', '\r\n', ' ', '\t', '=', '漢'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 12,
  })
  .filter((value) => !/[\0\p{Cs}]/u.test(value));
const tags = ['a', 'two words', 'ä"'] as const;

/** Rows with the interface's field names. Unset fields are left out. */
const rows: fc.Arbitrary<WritableRow> = fc
  .record(
    {
      id: fc.stringMatching(/^[a-z0-9][a-z0-9 ]{0,8}[a-z0-9]$/),
      title: text,
      creator: text,
      fileType: fc.constantFrom('MP4', '3GPP'),
      resolution: fc.constantFrom('LOW' as const, 'NORMAL' as const, 'HIGH' as const),
      duration: fc.nat(),
      tags: fc.dictionary(fc.constantFrom(...tags), text, { minKeys: 1 }),
      insights: fc.record(
        { isLibrary: fc.boolean(), includeInReport: fc.boolean() },
        { requiredKeys: ['isLibrary'] },
      ),
      metadata: fc.dictionary(
        fc.stringMatching(/^[a-e]{1,3}$/),
        fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text, { maxLength: 2 })),
      ),
      name: text,
    },
    { requiredKeys: ['id', 'name'] },
  )
  .map(({ id, name, metadata, ...media }) => ({
    id,
    source: `clips/${name}/a.mp4`,
    media,
    ...(metadata === undefined ? {} : { metadata }),
  }));

test.each(['csv', 'jsonl'] as const)('a row written as %s can be read back', async (format) => {
  const writer = manifestWriter(format, [...COLUMNS, ...tags.map((tag) => TAG_PREFIX + tag)]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(rows, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 50 }),
      async (written, pieceBytes) => {
        const lines = written.map((row) => writer.line(row));
        const read = await readAll(writer.header + lines.join(''), { format, pieceBytes });
        let line = format === 'csv' ? 2 : 1;
        const expected = written.map((row, index) => {
          const item = { line, ...row };
          line += (lines[index] ?? '').split(/\r\n|\n|\r/).length - 1;
          return item;
        });
        expect(read).toEqual(expected);
      },
    ),
    { numRuns: 200 },
  );
});
