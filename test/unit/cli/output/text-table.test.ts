import { createTextTable } from '../../../../cli/output/print-records';

const ROWS = [
  { status: 'COMPLETED', file: '港の映像.mp4', started: '2026-11-21T07:00', workflow: 'upload/acme-1/5e6f' },
  { status: 'FAILED', file: 'b.mp4', started: '', workflow: 'upload/acme-1/7a8b' },
];

describe('a table', () => {
  test('has one line per row, and never cuts the last column', () => {
    const text = createTextTable(ROWS, [])(ROWS);
    expect(text.trimEnd().split('\n')).toEqual([
      'STATUS     FILE          STARTED           WORKFLOW',
      'COMPLETED  港の映像.mp4  2026-11-21T07:00  upload/acme-1/5e6f',
      'FAILED     b.mp4                           upload/acme-1/7a8b',
    ]);
  });

  test('has words as headings, not field names', () => {
    const row = { fileType: 'MP4', isLibrary: true, createdAt: '2026', subAccountId: 'north', id: 'a' };
    expect(createTextTable([row], [])([row])).toBe(
      'FILE TYPE  IS LIBRARY  CREATED AT  SUB ACCOUNT ID  ID\nMP4        true        2026        north           a\n',
    );
  });
});
