import { expect, test } from '@jest/globals';
import { withAbsoluteSource } from '../../../../../temporal/batch/files/result-files';

const row = (source: string): { line: number; id: string; source: string; media: object } => ({
  line: 2,
  id: 'a',
  source,
  media: {},
});

test.each([
  ['a relative path', 'clips/a.mp4', '/srv/clips/a.mp4'],
  ['a path that goes up', '../a.mp4', '/a.mp4'],
  ['a path in full', '/srv/a.mp4', '/srv/a.mp4'],
  ['a URL', 'https://cdn.example/a.mp4', 'https://cdn.example/a.mp4'],
  ['an object', 's3://bucket/a.mp4', 's3://bucket/a.mp4'],
])('the absolute form of %s', (_label, source, expected) => {
  expect(withAbsoluteSource(row(source), '/srv')).toEqual(row(expected));
});

test('a path stays relative if no folder is given', () => {
  expect(withAbsoluteSource(row('a.mp4'), undefined)).toEqual(row('a.mp4'));
});
