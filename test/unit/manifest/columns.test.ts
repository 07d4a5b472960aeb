import { suggestColumn } from '../../../manifest/columns';

test.each([
  ['tilte', 'title'],
  ['Title', 'title'],
  ['file type', 'fileType'],
  ['filetype', 'fileType'],
  ['tag.project', 'tags.project'],
  ['Tags_project', 'tags.project'],
  ['tags', 'tags.<key>'],
  ['is_library', 'isLibrary'],
  ['durations', 'duration'],
  ['File', 'source'],
  ['file_name', 'source'],
  ['name', 'title'],
  ['constructor', undefined],
  ['colour', undefined],
  ['', undefined],
  ['漢字', undefined],
])('the column %s suggests %s', (name, column) => {
  expect(suggestColumn(name)).toBe(column);
});
