import { default as Mustache } from 'mustache';
import type { DeliveryReport } from '../report';
import { axisTexts, intervalTexts, windowText } from '../words/dates';
import { chartText } from '../words/report-words';
import { REPORT_TEMPLATE } from './report-template';
import { viewOf } from './report-view';

/**
 * The report as one self-contained HTML document that mail clients show and screen readers read: nothing is fetched, no script, and every
 * text of the service is escaped. The chart library is loaded by the first call.
 */
export async function renderHtml(report: DeliveryReport): Promise<string> {
  const { renderDeliveryChart } = await import('../chart/delivery-chart.js');
  const { intervals, interval, zone } = report;
  const chart = renderDeliveryChart({
    names: axisTexts(intervals, interval, zone),
    failed: intervals.map(({ failed }) => failed),
    success: intervals.map(({ success }) => success),
    title: `Webhook deliveries, ${windowText(report, zone)}`,
    description: chartText(intervals, intervalTexts(intervals, interval, zone), interval),
  });
  return Mustache.render(REPORT_TEMPLATE, viewOf(report, chart));
}
