import { describe, expect, test } from '@jest/globals';
import { createTextTable } from '../../../../cli/output/print-records';
import { textWidth } from '../../../../cli/output/text-width';

const ROWS = [
  { status: 'COMPLETED', file: '港の映像.mp4', started: '2026-11-21T07:00', workflow: 'upload/acme-1/5e6f' },
  { status: 'FAILED', file: 'b.mp4', started: '', workflow: 'upload/acme-1/7a8b' },
];
const tableOf = (columns?: number): string[] =>
  createTextTable(ROWS, { preferred: Object.keys(ROWS[0] ?? {}), columns })(ROWS)
    .trimEnd()
    .split('\n');

describe('a table', () => {
  test.each([undefined, 80, 200])('has one line per row if it fits (%p columns)', (columns) => {
    expect(tableOf(columns)).toEqual([
      'STATUS     FILE          STARTED           WORKFLOW',
      'COMPLETED  港の映像.mp4  2026-11-21T07:00  upload/acme-1/5e6f',
      'FAILED     b.mp4                           upload/acme-1/7a8b',
    ]);
  });

  test('has further lines for columns that do not fit', () => {
    const lines = tableOf(40);
    expect(lines).toEqual([
      'STATUS     FILE',
      '  STARTED  WORKFLOW',
      'COMPLETED  港の映像.mp4',
      '  2026-11-21T07:00  upload/acme-1/5e6f',
      'FAILED     b.mp4',
      '  upload/acme-1/7a8b',
    ]);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(40);
  });

  test('has words as headings, not field names', () => {
    const row = { fileType: 'MP4', isLibrary: true, createdAt: '2026', subAccountId: 'north', id: 'a' };
    const table = createTextTable([row], { preferred: Object.keys(row) });
    expect(table([row])).toBe(
      'FILE TYPE  LIBRARY  CREATED AT  SUB-ACCOUNT  ID\nMP4        true     2026        north        a\n',
    );
  });
});
