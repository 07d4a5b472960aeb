import { expect, test } from '@jest/globals';
import { wrapLine } from '../../../../cli/output/text-width';

test.each<[label: string, line: string, columns: number, wrapped: string]>([
  ['that fits stays', '  one two', 9, '  one two'],
  ['is broken at blanks, further lines hang', '  one two three', 9, '  one two\n    three'],
  ['of JSON is broken behind commas', '  {"one","two","three"}', 13, '  {"one",\n    "two",\n    "three"}'],
  [
    'keeps a word that is wider',
    '  one https://a.example/b two',
    10,
    '  one\n    https://a.example/b\n    two',
  ],
  ['counts wide characters twice', '映像 映像 映像', 9, '映像 映像\n    映像'],
])('a line %s', (_label, line, columns, wrapped) => {
  expect(wrapLine(line, columns, 4)).toBe(wrapped);
});

test('a line of unknown width stays whole', () => {
  expect(wrapLine('  one two  three')).toBe('  one two  three');
});
