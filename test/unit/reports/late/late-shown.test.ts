import { describe, expect, it } from '@jest/globals';
import { renderCsv } from '../../../../reports/csv/report-csv';
import { renderMail } from '../../../../reports/mail/report-mail';
import type { DeliveryReport } from '../../../../reports/report';
import { reportOf } from '../report-fixture';

const REPORT: DeliveryReport = {
  ...reportOf([{ sentAt: '2026-11-20T10:00:00Z', status: 'FAILED', mediaId: 'm1' }]),
  late: {
    from: '2026-11-18T23:00:00.000Z',
    to: '2026-11-19T23:00:00.000Z',
    failed: 5,
    media: [
      { id: '<b>late</b>', failed: 3 },
      { id: null, failed: 1 },
    ],
  },
};

describe('late records of a report', () => {
  it('appear in subject, text and HTML apart from the other figures', async () => {
    const { subject, text, html } = renderMail(REPORT);
    expect(subject).toContain(', 5 late, 20 Nov');
    expect(text).toContain('Failed before this period, found late');
    expect(text).toContain('  <b>late</b>: 3 failed, – successful, –');
    expect(text).toContain('  All other media: 1 failed');
    expect(text).toContain(
      'Late records: 5 failed, sent from 2026-11-19T00:00+01:00 to 2026-11-20T00:00+01:00',
    );
    expect(html).toContain('&lt;b&gt;late&lt;');
  });

  it('are rows of the CSV', () => {
    const rows = renderCsv(REPORT)
      .split('\r\n')
      .filter((row) => row.startsWith('late'));
    expect(rows).toEqual([
      'late,,2026-11-18T23:00:00.000Z,2026-11-19T23:00:00.000Z,,5,,',
      'late,<b>late</b>,2026-11-18T23:00:00.000Z,2026-11-19T23:00:00.000Z,,3,,',
      'late,(none named),2026-11-18T23:00:00.000Z,2026-11-19T23:00:00.000Z,,1,,',
    ]);
  });

  it("are not mentioned if nobody looked for them, and called unknown if they can't be detected", async () => {
    const { late: _late, ...plain } = REPORT;
    expect(renderMail(plain).text).not.toContain('Late records');
    expect(renderMail({ ...plain, late: null }).text).toContain('Late records: Not looked for');
  });
});
