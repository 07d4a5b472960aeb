import { expect, it } from '@jest/globals';
import { minPartGroups } from '../../../../../api/upload/parts/part-groups';

const MIB = 1024 * 1024;

it.each([
  ['one part', { parts: 1, bytes: 5 }, 1],
  ['small parts, of which 12 fit', { parts: 120, bytes: 120 * 5 * MIB }, 10],
  ['parts of exactly the bound', { parts: 3, bytes: 3 * 64 * MIB }, 3],
  ['parts beyond the bound', { parts: 4, bytes: 4 * 100 * MIB }, 4],
])('the number of part groups for %s', (_what, file, groups) => {
  expect(minPartGroups(file)).toBe(groups);
});
