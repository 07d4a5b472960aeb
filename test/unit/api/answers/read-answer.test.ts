import { parseJson, readText } from '../../../../api/answers/read-answer';

test('JSON keeps an integer that a number can hold, and reads the digits of any other as text', () => {
  const text =
    '[7615917337495231231,-7615917337495231232,9007199254740993,9007199254740991,12345678901234567.5,17e2]';
  expect(parseJson('start', { status: 200, headers: {}, text })).toEqual([
    ...['7615917337495231231', '-7615917337495231232', '9007199254740993'],
    ...[9007199254740991, 12345678901234568, 1700],
  ]);
});

async function* bytesOf(text: string, encoding: BufferEncoding): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, encoding);
}

test.each([
  ['ISO-8859-1', 'latin1'],
  ['"windows-1252"', 'latin1'],
  ['utf-16le', 'utf16le'],
  ['utf-8', 'utf8'],
] as const)('text in %s is read letter by letter', async (charset, encoding) => {
  const text = readText(bytesOf('Küche', encoding), 100, `text/csv; charset=${charset}`);
  expect(await text).toBe('Küche');
});

test('text in a character set that nobody knows is refused by its name', async () => {
  await expect(readText(bytesOf('x', 'utf8'), 100, 'text/csv; charset=klingon')).rejects.toMatchObject({
    code: 'UnreadableAnswer',
    message: 'the character set of the answer is not known: text/csv; charset=klingon',
  });
});
