import { expect, jest, test } from '@jest/globals';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { renderMail } from '../../../reports/mail/report-mail';
import { renderText } from '../../../reports/mail/report-text';
import { reportOf } from './report-fixture';

let mockLoaded = 0;
jest.mock('../../../reports/chart/delivery-chart', () => {
  mockLoaded += 1;
  return { renderDeliveryChart: () => '<svg></svg>' };
});

test('only the first HTML loads the chart library, and neither counting nor CSV nor text does', async () => {
  const report = reportOf([]);
  renderCsv(report);
  renderText(report);
  expect(mockLoaded).toBe(0);
  expect(await renderHtml(report)).toContain('<svg></svg>');
  await renderMail(report);
  expect(mockLoaded).toBe(1);
});
