import { default as Mustache } from 'mustache';
import type { DeliveryReport } from '../report';
import { axisTexts, periodText } from '../words/dates';
import { renderDeliveryChart } from './delivery-chart';
import { REPORT_TEMPLATE } from './report-template';
import { viewOf } from './report-view';

/**
 * The report as one self-contained HTML document for mail clients and screen readers. It loads nothing, has no script,
 * and escapes every text of the service.
 */
export function renderHtml(report: DeliveryReport): string {
  const { intervals, interval, zone } = report;
  const chart = renderDeliveryChart({
    names: axisTexts(intervals, interval, zone),
    failed: intervals.map(({ failed }) => failed),
    success: intervals.map(({ success }) => success),
    title: `Webhook deliveries, ${periodText(report, zone)}`,
    description: `Failed and successful webhook deliveries by ${interval}. The last table but one holds the same figures.`,
  });
  return Mustache.render(REPORT_TEMPLATE, viewOf(report, chart));
}
