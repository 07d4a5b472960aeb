import { adviceText } from '../../../api/advice';
import fc from 'fast-check';
import { readManifest } from '../../../manifest/read-manifest';
import { isMistake, rowDigest } from '../../../manifest/row';
import { csvLine } from '../../../manifest/write-manifest';
import { readAll, type Bytes } from './manifest-text';

describe('a CSV manifest', () => {
  test('gives each row with its first line, and its cells in the types of their columns', async () => {
    const rows = await readAll(
      'source,title,fileType,tags.project,metadata,creator,resolution,duration,isLibrary,includeInReport,id\r\n' +
        'a.mp4,"He said ""hi"",\r\ntwice",mov,apollo,"{""shot"":[1]}",Ana,high,1500,TRUE,false,one\r\n' +
        '\r\n' +
        'https://cdn.example/b.mp4?sig=x,,,,,,,,,,two\n',
    );
    expect(rows).toEqual([
      {
        line: 2,
        id: 'one',
        source: 'a.mp4',
        media: {
          fileType: 'MOV',
          title: 'He said "hi",\r\ntwice',
          creator: 'Ana',
          resolution: 'HIGH',
          duration: 1500,
          tags: { project: 'apollo' },
          insights: { isLibrary: true, includeInReport: false },
        },
        metadata: { shot: [1] },
      },
      { line: 5, id: 'two', source: 'https://cdn.example/b.mp4?sig=x', media: {} },
    ]);
  });

  test.each([
    ['a comma', ','],
    ['a semicolon', ';'],
    ['a tab', '\t'],
  ])('is read with %s between its cells without an option', async (_label, separator) => {
    const csv = ['source,title,id', 'a.mp4,A,1', ''].join('\n').replaceAll(',', separator);
    expect(await readAll(csv)).toEqual([{ line: 2, id: '1', source: 'a.mp4', media: { title: 'A' } }]);
  });

  test.each([
    ['the line sep=; of Excel, which names the separator', 'sep=;\r\nsource;id\na,b.mp4;1\n', 3, 'a,b.mp4'],
    ['such a line in quotes', '"sep=;"\nsource;id\na,b.mp4;1\n', 3, 'a,b.mp4'],
    ['such a line in capital letters', 'SEP=;\nsource;id\na,b.mp4;1\n', 3, 'a,b.mp4'],
    ['empty lines of a spreadsheet before its header', ';\n;\nsource;id\na.mp4;1\n', 4, 'a.mp4'],
    ['a UTF-8 byte order mark and blank lines', '\ufeff\n\nsource,id\na.mp4,1\n', 4, 'a.mp4'],
    ['rows of empty cells, and blanks around ids', 'source,id\n,\na.mp4, 1  \n,\n', 3, 'a.mp4'],
  ])('may have %s', async (_what, csv, line, source) => {
    expect(await readAll(csv)).toEqual([{ line, id: '1', source, media: {} }]);
  });

  test('may have columns without a name, as spreadsheets write them, but no values in them', async () => {
    expect(await readAll('source,,id,,\na.mp4,,1,, \nb.mp4,x,2,,\n')).toEqual([
      { line: 2, id: '1', source: 'a.mp4', media: {} },
      {
        line: 3,
        message: 'column 2 has a value here, but no name in the header',
        hint: 'Name the column, or empty it.',
      },
    ]);
  });

  test.each(['7.61592E+18', '7,61592E+18', '1e+05'])(
    'is refused if a spreadsheet shortened an id or a tag to %s',
    async (cell) => {
      const message = `"${cell}" is a number that a spreadsheet shortened`;
      expect(
        await readAll(`source;id;tags.order;title\na.mp4;${cell};x;${cell}\nb.mp4;1;${cell};x\n`),
      ).toMatchObject([
        { line: 2, column: 'id', message },
        { line: 3, column: 'tags.order', message },
      ]);
    },
  );

  test('with one column is read with the comma, since its header shows no other separator', async () => {
    expect(await readAll('source\na;b.mp4\na\tb.mp4\n')).toMatchObject([
      { line: 2, source: 'a;b.mp4' },
      { line: 3, source: 'a\tb.mp4' },
    ]);
  });

  test.each(['1e3', '0x10', '1.0', '+5', 'Infinity'])(
    'has no duration if a cell says %s: milliseconds consist only of digits',
    async (cell) => {
      expect(await readAll(`source,duration\na.mp4,${cell}\nb.mp4, 15 \n`)).toMatchObject([
        { line: 2, column: 'duration' },
        { line: 3, media: { duration: 15 } },
      ]);
    },
  );

  test('gives a row without an ID one made from its content, the same on any line and in JSON lines', async () => {
    const [first] = await readAll('source,duration,tags.a\na.mp4,5,x\n');
    const [second] = await readAll('tags.a,source,duration\n\n\nx,a.mp4,5\n');
    const [third] = await readAll('{"tags":{"a":"x"},"duration":5,"source":"a.mp4"}', { format: 'jsonl' });
    const [other] = await readAll('source,duration,tags.a\na.mp4,6,x\n');
    const digests = [first, second, third, other].map((row) =>
      row === undefined || isMistake(row) ? '' : `${row.id} ${rowDigest(row)}`,
    );
    expect(digests[0]).toMatch(/^[0-9a-f]{20} [0-9a-f]{32}$/);
    expect([...new Set(digests)]).toEqual([digests[0], digests[3]]);
  });

  test('of endless bytes is read only to the header, if that names no source', async () => {
    let read = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          read += 1;
          yield Buffer.from('file,title\n'.repeat(1000));
        }
      } finally {
        closed = true;
      }
    }
    const items = await Array.fromAsync(readManifest(endless(), { format: 'csv', rowContext: {} }));
    expect(items).toMatchObject([
      { column: 'file' },
      { column: 'source', message: 'the column source is missing' },
    ]);
    expect(read).toBeLessThan(10);
    expect(closed).toBe(true);
  });
});

describe('a whole manifest is refused', () => {
  test.each<[label: string, bytes: Bytes, mistakes: [line: number, message: RegExp, hint?: RegExp][]]>([
    ['an empty manifest', '', [[1, /^the manifest is empty$/]]],
    ['a header without rows', 'source,title\n\n,\n', [[1, /^the manifest has no rows$/]]],
    ['a row', 'clips/a.mp4,Film\nclips/b.mp4,Other\n', [[1, /names no known column/, /Begin with a line/]]],
    ['a header of other words', 'foo,bar\nclips/b.mp4,Other\n', [[1, /names no known column/]]],
    ['a header without source', 'title,id\nA,1\n', [[1, /the column source is missing/]]],
    ['a tag without a key', 'source,tags.\na.mp4,x\n', [[1, /tags\. is not known/, /tags\.<key>/]]],
    ['UTF-16 with a mark', Buffer.from('\ufeffsource,title\n', 'utf16le'), [[1, /UTF-16/, /UTF-8/]]],
    ['an Excel workbook', Buffer.from('PK\x03\x04\x14\0rest', 'latin1'), [[1, /workbook/, /CSV/]]],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), [[1, /archive/, /unpack/]]],
    [
      'a header with wrong columns, rows reported as well',
      'source,titel,Tags.project,,title,title\na.mp4,,,,,\nb.exe,,,,,\n',
      [
        [1, /the column titel is not known/, /Did you mean title/],
        [1, /the column Tags.project is not known/, /Did you mean tags.project/],
        [1, /the column title occurs twice/],
        [3, /which the service does not accept/, /, give that in the column fileType\.$/],
      ],
    ],
  ])('%s', async (_label, bytes, expected) => {
    const mistakes = (await readAll(bytes)).filter(isMistake);
    expect(mistakes).toHaveLength(expected.length);
    expected.forEach(([line, message, hint = /^/], index) => {
      expect(mistakes[index]).toMatchObject({ line, message: expect.stringMatching(message) });
      expect(adviceText(mistakes[index] ?? {}) ?? '').toMatch(hint);
    });
  });
});

test.each(['https://h/v.2/film', 'https://h/films/', 's3://bucket/v.2/film'])(
  'a row may name %s, whose MIME type only a worker sees',
  async (source) => {
    expect(await readAll(JSON.stringify({ source, id: 'a' }), { format: 'jsonl' })).toEqual([
      { line: 1, id: 'a', source, media: {} },
    ]);
  },
);

describe('a row is refused', () => {
  test.each<[label: string, row: object, column: string | undefined, message: RegExp]>([
    ['without a source', { source: '', title: 'x' }, 'source', /names no source/],
    ['with a source of another kind', { source: 'ftp://h/a.mp4' }, 'source', /ftp:\/\/ are not read/],
    ['with an address after a space', { source: ' https://h/a.mp4?s=1' }, 'source', /not written in full/],
    ['with an address without slashes', { source: 'https:h/a.mp4?s=1' }, 'source', /not written in full/],
    ['with another file type', { source: 'a.mp4', fileType: 'exe' }, 'fileType', /"exe" is not supported/],
    [
      'with the address of a text file',
      { source: 'https://h/notes.txt?as=a.mp4' },
      'fileType',
      /"notes.txt" is TXT/,
    ],
    ['with another resolution', { source: 'a.mp4', resolution: 'FULL' }, 'resolution', /LOW, NORMAL, HIGH/],
    ['with minutes', { source: 'a.mp4', duration: '2 min' }, 'duration', /whole number of milliseconds/],
    [
      'with a yes as flag',
      { source: 'a.mp4', isLibrary: 'yes' },
      'isLibrary',
      /^isLibrary must be true or false/,
    ],
    ['with metadata that is not an object', { source: 'a.mp4', metadata: [1] }, 'metadata', /JSON object/],
    ['with a reserved key', { source: 'a.mp4', metadata: { failureReason: 1 } }, 'metadata', /reserved/],
    [
      'with the ingest key',
      { source: 'a.mp4', 'tags.ingestKey': 'x' },
      'tags.ingestKey',
      /carries the ingest key/,
    ],
    ['with an id that is too long', { source: 'a.mp4', id: 'ä'.repeat(101) }, 'id', /more than 200 bytes/],
    ['with an id of two lines', { source: 'a.mp4', id: 'a\nb' }, 'id', /control character/],
    ['with a blank id', { source: 'a.mp4', id: ' ' }, 'id', /id is empty/],
    ['that is too large', { source: 'a.mp4', title: 'x'.repeat(600_000) }, undefined, /through Temporal/],
  ])('%s, in CSV and in JSON lines', async (_label, row, column, message) => {
    const cells = Object.values(row).map((value: unknown) =>
      typeof value === 'string' ? value : JSON.stringify(value),
    );
    const csv = csvLine(Object.keys(row)) + csvLine(cells);
    const expected = { message: expect.stringMatching(message), ...(column === undefined ? {} : { column }) };
    expect(await readAll(csv)).toEqual([expect.objectContaining({ line: 2, ...expected })]);
    expect(await readAll(JSON.stringify(row), { format: 'jsonl' })).toEqual([
      expect.objectContaining({ line: 1, ...expected }),
    ]);
  });

  test.each(['Source,FILETYPE\na.bin,MP4\n', 'SOURCE;fileType\na.bin;MP4\n'])(
    'never because of capital letters in the header, or because only the column fileType is known: %j',
    async (text) => {
      expect(await readAll(text)).toMatchObject([{ source: 'a.bin', media: { fileType: 'MP4' } }]);
    },
  );

  test('with its first mistake, and with its id and source for results', async () => {
    const row = { source: 'a.mp4', id: 'one', creator: 'x'.repeat(300), duration: -1 };
    expect(await readAll(JSON.stringify(row), { format: 'jsonl' })).toEqual([
      expect.objectContaining({ column: 'creator', readable: { source: 'a.mp4', id: 'one' } }),
    ]);
    expect(await readAll(JSON.stringify({ ...row, nmae: 1 }), { format: 'jsonl' })).toMatchObject([
      { column: 'nmae' },
    ]);
  });

  test('if it has more or fewer cells than the header, with both causes of too few', async () => {
    const hint = expect.stringMatching(/in quotes.*leave out empty cells at the end/);
    expect(await readAll('source,title\na.mp4\na.mp4,b,c\n')).toMatchObject([
      { line: 2, message: 'the row has 1 cell, the header 2 cells', hint },
      { line: 3, message: 'the row has 3 cells, the header 2 cells' },
    ]);
  });

  test('if its path is relative and there is no folder; an absolute one is accepted', async () => {
    const items = await readAll('source\na.mp4\n/srv/b.mp4\n', { rowContext: {} });
    expect(items).toMatchObject([
      { line: 2, column: 'source', message: expect.stringContaining('relative') },
      { line: 3, source: '/srv/b.mp4' },
    ]);
  });
});

describe('JSON lines', () => {
  test('may have blank lines, CRLF, a byte order mark, numbers as IDs, null for unset, and flat tags', async () => {
    const text =
      '\ufeff{"source":"a.mp4","id":7,"title":null,"tags.b":"2","tags":{"a":"1"}}\r\n \r\n\n{"source":"s3://bucket/k.mov","id":"8"}';
    expect(await readAll(text, { format: 'jsonl' })).toEqual([
      { line: 1, id: '7', source: 'a.mp4', media: { tags: { a: '1', b: '2' } } },
      { line: 4, id: '8', source: 's3://bucket/k.mov', media: {} },
    ]);
  });

  test.each<[label: string, line: Bytes, message: RegExp]>([
    ['no JSON', '{source: 1}', /not JSON/],
    ['a list', '["a.mp4"]', /not an object/],
    ['a text', '"a.mp4"', /not an object/],
    ['null', 'null', /not an object/],
    ['no UTF-8', Buffer.from('{"source":"\xff.mp4"}', 'latin1'), /not valid UTF-8/],
    ['no source', '{"title":"x"}', /names no source/],
    ['an unknown field', '{"source":"a.mp4","file":"b"}', /the field file is not known/],
    ['a tag in both forms', '{"source":"a.mp4","tags.a":"1","tags":{"a":"2"}}', /"a" is given twice/],
    ['a tag without a key', '{"source":"a.mp4","tags":{"a":"b","":"x"}}', /a tag has no key/],
    ['a tag with a blank key', '{"source":"a.mp4","tags. ":"x"}', /a tag has no key/],
    ['a flat tag without a key', '{"source":"a.mp4","tags.":"x"}', /the field tags\. is not known/],
    ['a NUL in its path', '{"source":"a\\u0000.mp4"}', /NUL/],
    ['a number as its source', '{"source":5}', /source must be a text/],
    [
      'metadata nested beyond reason',
      `{"source":"a.mp4","metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`,
      /nested too deeply|through Temporal/,
    ],
  ])('report a line that is %s, and continue', async (_label, line, message) => {
    const pieces = ['\n', line, '\n{"source":"b.mp4","id":"b"}\n'];
    const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    expect(await readAll(bytes, { format: 'jsonl', pieceBytes: 5 })).toEqual([
      expect.objectContaining({ line: 2, message: expect.stringMatching(message) }),
      { line: 3, id: 'b', source: 'b.mp4', media: {} },
    ]);
  });

  test('above the limit end the manifest with a mistake, and are not kept', async () => {
    const text = `{"source":"a.mp4","id":"a"}\n{"source":"${'x'.repeat(20 * 1024 * 1024)}"}\n{"source":"b.mp4"}\n`;
    expect(await readAll(text, { format: 'jsonl' })).toMatchObject([
      { line: 1, id: 'a' },
      { line: 2, message: expect.stringMatching(/^the row has more than \d+ bytes/) },
    ]);
  });
});

describe('quotes in a CSV', () => {
  test('that do not begin and end a cell are part of it', async () => {
    expect(await readAll('source,title,id\na.mp4,5" disk,1\nb.mp4,"x"y,2\nc.mp4,C,3\n')).toMatchObject([
      { line: 2, media: { title: '5" disk' } },
      { line: 3, media: { title: '"x"y' } },
      { line: 4, media: { title: 'C' } },
    ]);
  });

  test('that are never closed end the manifest with a mistake', async () => {
    expect(await readAll('source,title\na.mp4,A\nb.mp4,"never\nclosed\n')).toMatchObject([
      { line: 2, source: 'a.mp4' },
      { line: 3, message: expect.stringContaining('never closed') },
    ]);
  });
});

test('lines are counted with every line end, in quotes, too', async () => {
  const csv = 'source,title,id\r\na.mp4,"x\ny\r\nz",1\n\n\nb.mp4,,2\rc.mp4,,3\n';
  for (const pieceBytes of [1, 7, 1000])
    expect(await readAll(csv, { pieceBytes })).toMatchObject([
      { line: 2, source: 'a.mp4' },
      { line: 7, source: 'b.mp4' },
      { line: 8, source: 'c.mp4' },
    ]);
});

test('a row that is not UTF-8 is a mistake with its line; one with the character for lost text is none', async () => {
  const latin = Buffer.from('source,id\nx\xffy.mp4,1\n', 'latin1');
  expect(await readAll(Buffer.concat([latin, Buffer.from('x\uFFFDy.mp4,2\n')]))).toMatchObject([
    { line: 2, message: 'the row is not valid UTF-8' },
    { line: 3, id: '2', source: 'x\uFFFDy.mp4' },
  ]);
});

test('an integer that a number would round is read as text, in the id, tags and metadata', async () => {
  const id = '7615917337495231231';
  const json = `{"source":"a.mp4","id":${id},"tags":{"order":${id}},"metadata":{"order":[${id}]}}\n`;
  const csv = `source,id,tags.order,metadata\na.mp4,${id},${id},"{""order"":[${id}]}"\n`;
  const row = { id, media: { tags: { order: id } }, metadata: { order: [id] } };
  expect(await readAll(json, { format: 'jsonl' })).toMatchObject([row]);
  expect(await readAll(csv)).toMatchObject([row]);
});

test('any bytes give rows or mistakes, never an exception, and at least one of them', async () => {
  const beginnings = fc.constantFrom('', 'source,title,metadata\n', 'source;id\n', '{"source":"a.mp4"}\n');
  const signs = ['"', '""', ',', ';', '\n', '\r\n', '{', '}', ':', 'a.mp4', '\0', 'ä', '1', '[', ']'];
  const mess = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.string({ unit: fc.constantFrom(...signs), maxLength: 80 }).map((text) => Buffer.from(text)),
  );
  const options = fc.record({
    format: fc.constantFrom('csv' as const, 'jsonl' as const),
    pieceBytes: fc.integer({ min: 1, max: 64 }),
  });
  await fc.assert(
    fc.asyncProperty(beginnings, mess, options, async (begin, rest, given) => {
      const items = await readAll(Buffer.concat([Buffer.from(begin), rest]), given);
      expect(items.length).toBeGreaterThan(0);
      for (const item of items) {
        expect(item.line).toBeGreaterThanOrEqual(1);
        expect(isMistake(item) ? item.message : item.id).not.toBe('');
      }
    }),
    { numRuns: 400 },
  );
});
