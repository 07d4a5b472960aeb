import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { repeatedKey } from '../../../../manifest/jsonl/repeated-key';

test.each([
  ['beside each other', '{"source":"a.mp4","source":"b.mp4"}', 'source'],
  ['written in two ways', '{"id":1,"\\u0069d":2}', 'id'],
  ['in an inner object', '{"metadata":{"shots":[{"n":1},{"n":2,"n":3}]}}', 'n'],
  ['behind an inner object', '{"a":{"x":[1,{"y":"}"}]} , "b":"\\"a\\"", "a" :1}', 'a'],
])('a repeated key is found %s', (_label, json, key) => {
  expect(repeatedKey(json)).toBe(key);
});

test('JSON.stringify never repeats a key, and an inserted repetition is found', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (object, pick) => {
      const json = JSON.stringify(object);
      expect(repeatedKey(json)).toBeUndefined();
      const keys = Object.keys(object);
      const key = keys[pick % keys.length] ?? '';
      expect(repeatedKey(`${json.slice(0, -1)},${JSON.stringify(key)}:0}`)).toBe(key);
    }),
  );
});
