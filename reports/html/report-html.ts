import { default as Mustache } from 'mustache';
import type { DeliveryReport } from '../report';
import { axisTexts, periodText } from '../words/report-words';
import { renderDeliveryChart } from './delivery-chart';
import { DARK, STYLE } from './report-style';
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

/** The rows of one table of counts, with the section's own texts. */
const COUNTS_TABLE = `<table style="${STYLE.table}" class="paper ink" cellpadding="0" cellspacing="0" border="0">
{{#note}}<caption style="${STYLE.caption}" class="soft">{{note}}</caption>{{/note}}
<thead><tr>
<th scope="col" style="${STYLE.head}" class="soft line">{{first}}</th>
<th scope="col" width="52" style="${STYLE.headNumber}" class="soft line">Failed</th>
<th scope="col" width="76" style="${STYLE.headNumber}" class="soft line">Successful</th>
<th scope="col" width="86" style="${STYLE.headNumber}" class="soft line">Failure rate</th>
</tr></thead>
<tbody>{{#rows}}
<tr><th scope="row" style="${STYLE.name}" class="line">{{name}}</th>{{#bad}}<td style="${STYLE.badNumber}" class="bad line">{{failed}}</td>{{/bad}}{{^bad}}<td style="${STYLE.number}" class="line">{{failed}}</td>{{/bad}}<td style="${STYLE.number}" class="line">{{success}}</td><td style="${STYLE.number}" class="line">{{rate}}</td></tr>{{/rows}}
</tbody></table>`;

/**
 * The report as a mail: one column of tables, at most 640 px, with inline styles. It loads nothing and has no script.
 * Everything is escaped, except the chart, which is our own markup. Tables for layout are marked for screen readers.
 */
const REPORT_TEMPLATE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{{subject}}</title>
<style>${DARK}
</style>
</head>
<body style="${STYLE.body}" class="page">
<table role="presentation" style="${STYLE.page}" class="page" cellpadding="0" cellspacing="0" border="0" bgcolor="#eef0f3"><tr><td align="center">
<table role="presentation" style="${STYLE.column}" class="paper" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff">
<tr><td style="${STYLE.top}" class="paper soft wide">
<h1 style="${STYLE.h1}" class="ink">{{outcome}}</h1>
<p style="${STYLE.text}" class="soft">{{period}}</p>
<p style="${STYLE.text}" class="soft">{{scope}}</p>
{{#notices}}<p style="${STYLE.notice}" class="notice">{{.}}</p>
{{/notices}}</td></tr>
<tr><td style="${STYLE.pad}" class="paper wide">
<table role="presentation" style="${STYLE.layout}" class="paper" cellpadding="0" cellspacing="0" border="0"><tr>{{#figures}}
<td style="${STYLE.figure}" class="soft">{{name}}<strong style="{{#bad}}${STYLE.badValue}{{/bad}}{{^bad}}${STYLE.value}{{/bad}}" class="value {{#bad}}bad{{/bad}}{{^bad}}ink{{/bad}}">{{value}}</strong>{{against}}</td>{{/figures}}
</tr></table>
<div class="chart">{{{chart}}}</div>
{{#breakdowns}}<h2 style="${STYLE.h2}" class="ink">{{title}}</h2>
${COUNTS_TABLE}
{{/breakdowns}}
{{#byTime}}<h2 style="${STYLE.h2}" class="ink">{{title}}</h2>
${COUNTS_TABLE}
{{/byTime}}
<h2 style="${STYLE.h2}" class="ink">About this report</h2>
<table style="${STYLE.table}" class="paper ink" cellpadding="0" cellspacing="0" border="0"><tbody>{{#facts}}
<tr><th scope="row" style="${STYLE.factName}" class="soft line">{{name}}</th><td style="${STYLE.fact}" class="line">{{text}}</td></tr>{{/facts}}
</tbody></table>
</td></tr>
<tr><td style="${STYLE.end}" class="paper">&nbsp;</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
