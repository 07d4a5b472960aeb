import type { ManifestRow } from '../../../../../manifest/row';
import { sealKeysOf } from '../../../../../temporal/seal';
import { openedRow, plannedRow } from '../../../../../temporal/batch/files/planned-row';

const KEY = sealKeysOf('secret of the account');
const rowOf = (source: string): ManifestRow => ({ line: 1, id: 'a', source, media: { title: 'A' } });
const ROWS = [
  'https://cdn.example/a.mp4?X-Amz-Signature=canary',
  'HTTP://cdn.example/b.mp4?sig=canary',
  '/media/c.mp4',
  's3://bucket/d.mp4',
].map(rowOf);

test("addresses in rows are sealed, everything else stays readable, and the account's key opens them again", () => {
  const sealed = ROWS.map((row) => plannedRow(row, KEY));
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed[0]).toMatchObject({ row: { id: 'a' }, sealed: { keyId: KEY.current.id } });
  expect(sealed.slice(2).map(({ row }) => row)).toEqual(ROWS.slice(2));
  expect(sealed.map((row) => openedRow(row, KEY))).toEqual(ROWS);
});
