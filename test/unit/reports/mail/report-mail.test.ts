import { renderMail } from '../../../../reports/mail/report-mail';
import { reportOf } from '../report-fixture';

const sentAt = '2026-11-20T10:00:00.000Z';
const mail = renderMail(
  reportOf([
    { sentAt, status: 'FAILED', mediaId: 'm\r\nBcc: all@example.com' },
    { sentAt, status: 'SUCCESS', mediaId: 'm' },
  ]),
);

test('a mail has a subject of one line, HTML, text and its figures as CSV', () => {
  expect(mail.subject).toBe('1 of 2 webhook deliveries failed (50.0 %, +47.5 pp), 20 Nov');
  expect(mail.html).toMatch(/^<!DOCTYPE html>[\s\S]*<svg role="img"/);
  expect(mail.attachments.map(({ fileName, contentType }) => [fileName, contentType])).toEqual([
    ['webhook-report-2026-11-20.csv', 'text/csv; charset=utf-8'],
  ]);
  expect(mail.attachments[0]?.content).toMatch(/^\uFEFFsection,/);
});

test('in plain text, a line break from the service never starts a line', () => {
  const lines = mail.text.split('\n');
  expect(lines.filter((line) => line.startsWith('Bcc'))).toEqual([]);
  expect(lines).toContain('  m Bcc: all@example.com: 1 failed, 0 successful, 100.0 %');
  expect(lines).toContain('Records read: 2');
  expect(lines).toContain('Complete: Yes');
});
