import { expect, test } from '@jest/globals';
import type { SourceDescriptor } from '../../../../../api/upload/sources/source';
import { labelOfSource } from '../../../../../api/upload/sources/source-rules';

test.each<[string, SourceDescriptor, string]>([
  ['a file is its name', { kind: 'path', path: '/srv/client-x/film.mp4', host: 'h' }, 'film.mp4'],
  ['a file of Windows is its name', { kind: 'path', path: 'C:\\client-x\\film.mp4' }, 'film.mp4'],
  ['a URL is its label', { kind: 'http', url: 'https://h/a?canary', label: 'https://h/a' }, 'https://h/a'],
  [
    'an object is its bucket and name',
    { kind: 's3', bucket: 'films', key: 'client-x/film.mp4' },
    's3://films/film.mp4',
  ],
])('the label of %s, never a folder', (_what, source, label) => {
  expect(labelOfSource(source)).toBe(label);
});
