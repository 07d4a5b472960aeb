import { expect, test } from '@jest/globals';
import { sealKeysOf } from '../../../../../temporal/seal';
import {
  rowsForHistory,
  rowsFromHistory,
  rowsWithoutQueries,
} from '../../../../../temporal/batch/files/planned-row';

const KEY = sealKeysOf('secret of the account');
const ROWS = [
  { source: 'https://cdn.example/a.mp4?X-Amz-Signature=canary', id: 'a' },
  { source: 'HTTP://cdn.example/b.mp4?sig=canary' },
  { source: ' https:/cdn.example/b.mp4?sig=canary' },
  { source: '/media/c.mp4', tags: { room: 'kitchen' } },
  { source: 's3://bucket/d.mp4' },
];

test("addresses in rows are sealed, everything else stays readable, and the account's key opens them again", () => {
  const sealed = rowsForHistory(ROWS, KEY);
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed[0]).toMatchObject({ id: 'a', source: { keyId: KEY.current.id } });
  expect(sealed.slice(3)).toEqual(ROWS.slice(3));
  expect(rowsFromHistory(sealed, KEY)).toEqual(ROWS);
});

test("another account's key can't open sealed rows", () => {
  expect(() => rowsFromHistory(rowsForHistory(ROWS, KEY), sealKeysOf('another'))).toThrow(/made with key/);
});

test('two signatures of one address mean the same row, but another address does not', () => {
  const meaning = (source: string): unknown => rowsWithoutQueries([{ source }]);
  expect(meaning('https://cdn.example/a.mp4?sig=1')).toEqual(meaning('https://cdn.example/a.mp4?sig=2'));
  expect(meaning('https://cdn.example/a.mp4')).not.toEqual(meaning('https://cdn.example/b.mp4'));
});
