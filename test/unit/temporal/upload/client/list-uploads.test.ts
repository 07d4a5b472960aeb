import { expect, test } from '@jest/globals';
import { nameTest } from '../../../../../temporal/upload/client/list-uploads';

test.each([
  [undefined, 'clip.mp4', true],
  ['LIP.', 'clip.mp4', true],
  ['mov', 'clip.mp4', false],
  ['*.MOV', 'clip.mov', true],
  ['*.mov', 'clip.mov.mp4', false],
  ['clip*', 'my-clip.mp4', false],
  ['*clip*', 'my-clip.mp4', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['aba*ba', 'aba', false],
  ['*', '', true],
  ['a.*', 'ab', false],
])('the name %j and the file %j: %j', (name, label, isMatch) => {
  expect(nameTest(name)(label)).toBe(isMatch);
});
