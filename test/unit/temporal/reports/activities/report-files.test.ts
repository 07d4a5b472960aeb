import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { reportFiles, writeFiles } from '../../../../../temporal/reports/activities/report-files';
import { createS3 } from '../../../../../files/s3/s3-client';
import { tempFolder } from '../../../../support/after-test';
import { reportOf } from '../../../reports/report-fixture';

const MORNING = { schedule: 'morning', accountId: 'acme-1a2b3c4d' };
const OTHERS = [
  { ...MORNING, schedule: 'evening' },
  { ...MORNING, accountId: 'acme-5e6f7a8b' },
];

const REPORT = reportOf([]);
function namesOf(...report: Parameters<typeof reportFiles>): string[] {
  return reportFiles(...report).map(({ name }) => name);
}

test('the files of a report are named after schedule, account and period, so that they replace no other report', () => {
  const names = namesOf(REPORT, MORNING);
  const name = 'webhook-report-morning-acme-1a2b3c4d-2026-11-20';
  expect(names).toEqual([`${name}.html`, `${name}.csv`, `${name}.json`]);
  const others = OTHERS.map((from) => namesOf(REPORT, from));
  expect(new Set([names, ...others].flat()).size).toBe(9);
});

test('the group of a folder may read the reports in it', async () => {
  const folder = await tempFolder('report');
  const access = { roots: [], outputRoots: [folder], s3: createS3() };
  await writeFiles(access, { kind: 'path', path: folder }, [{ name: 'report.txt', content: 'none failed' }]);
  expect((await stat(join(folder, 'report.txt'))).mode & 0o777).toBe(0o640);
});

test('the reports of two hours of a day have different names', () => {
  const hour = (number: number): string => `2026-11-20T0${number}:00:00.000Z`;
  const reports = [7, 8].map((from) => ({ ...REPORT, from: hour(from), to: hour(from + 1) }));
  expect(reports.map((report) => namesOf(report, MORNING)[0])).toEqual([
    'webhook-report-morning-acme-1a2b3c4d-2026-11-20T0800+0100-to-2026-11-20T0900+0100.html',
    'webhook-report-morning-acme-1a2b3c4d-2026-11-20T0900+0100-to-2026-11-20T1000+0100.html',
  ]);
});
