import fc from 'fast-check';
import { cutText, plainJson, plainLine, plainText } from '../../../../cli/output/plain-text';

const ESC = '\u001b';

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

describe('plainText', () => {
  test.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['a cleared screen', `before${ESC}[2J${ESC}[1;1Hafter`, 'beforeafter'],
    ['a window title ended by BEL', `${ESC}]0;owned\u0007text`, 'text'],
    ['a hyperlink ended by ST', `${ESC}]8;;http://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
    ['an 8-bit sequence', '\u009b31mred', 'red'],
    ['an 8-bit title', '\u009d0;owned\u009ctext', 'text'],
    ['an escape at the end', `text${ESC}`, 'text'],
    ['carriage return and backspace', 'good\rbad\b', 'goodbad'],
    ['a turned direction of writing', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
  ])('removes %s', (_label, text, expected) => {
    expect(plainText(text)).toBe(expected);
  });

  test('keeps line feeds, tabs and every script', () => {
    expect(plainText('Übersicht\t現場\nПроверка 🚪')).toBe('Übersicht\t現場\nПроверка 🚪');
  });

  test('leaves no control character in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(
          [...plainText(text)].filter((character) => isControl(character) && !'\t\n'.includes(character)),
        ).toEqual([]);
      }),
    );
  });
});

test('plainLine returns one line', () => {
  expect(plainLine(' a\n b\t\tc ')).toBe('a b c');
});

test('plainJson has no raw control character and loses nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = plainJson({ text });
      expect([...json].filter(isControl)).toEqual([]);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});

test.each<[label: string, text: string, columns: number, cut: string]>([
  ['stays unchanged if it fits', 'harbour', 7, 'harbour'],
  ['ends in an ellipsis if it does not fit', 'harbour', 6, 'harbo…'],
  ['counts wide characters twice', '港の映像.mp4', 7, '港の映…'],
  ['leaves a column free rather than half a character', '港の映像.mp4', 6, '港の…'],
  ['keeps an accent with its letter', 'e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
])('a text that is cut %s', (_label, text, columns, cut) => {
  expect(cutText(text, columns)).toBe(cut);
});
