import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { given } from '../../../api/json';
import { collectReport } from '../../../reports/collect-report';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { renderText, reportFileName } from '../../../reports/mail/report-mail';
import { GROUPS } from '../../../reports/report-request';
import type { ReportRequest } from '../../../reports/report-request';
import { subjectOf } from '../../../reports/words/report-words';
import type { Operation } from '../operation';
import { booleanField, choicesField, fieldsOf, numberField, recordOf, textField } from '../parameters';
import { filterFieldsOf, rangeOf } from './delivery-parameters';
import { REPORT_PARAMETERS } from './report-parameters';

const OUTPUTS = ['csv', 'html', 'mail'] as const;

/** Webhook Delivery > Report: one item per input item, with the figures as JSON and the texts for a mail or a file. */
export const report: Operation = {
  option: {
    name: 'Report',
    value: 'report',
    description: 'Count the deliveries of a period, and show what failed',
    action: 'Create a failure report',
  },
  parameters: REPORT_PARAMETERS,

  async execute({ context, signal, service }, itemIndex) {
    const outputs = choicesField(context.getNodeParameter('output', itemIndex, []), 'output', OUTPUTS);
    const request = requestOf(context, itemIndex);
    const counted = await collectReport(await service(itemIndex), request, signal);
    const html = outputs.includes('html') || outputs.includes('mail') ? renderHtml(counted) : '';
    const json: IDataObject = { ...counted };
    if (outputs.includes('mail')) {
      Object.assign(json, { subject: subjectOf(counted), html, text: renderText(counted) });
    }
    const binary: IBinaryKeyData = {};
    for (const format of ['csv', 'html'] as const) {
      if (!outputs.includes(format)) continue;
      const content = Buffer.from(format === 'csv' ? renderCsv(counted) : html);
      const fileName = reportFileName(counted, format);
      binary[format] = await context.helpers.prepareBinaryData(content, fileName, `text/${format}`);
    }
    const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
    return [Object.keys(binary).length === 0 ? item : { ...item, binary }];
  },
};

function requestOf(context: IExecuteFunctions, itemIndex: number): ReportRequest {
  const options = fieldsOf(context, 'options', itemIndex);
  const names = recordOf(recordOf(options['fields'])['names']);
  const zone = context.getTimezone();
  return {
    query: {
      ...rangeOf(context, itemIndex, zone),
      zone,
      ...filterFieldsOf(fieldsOf(context, 'filters', itemIndex)),
    },
    groups: choicesField(context.getNodeParameter('groups', itemIndex, []), 'groups', GROUPS),
    fields: given({
      media: textField(names['media'], 'Media Field'),
      subAccount: textField(names['subAccount'], 'Sub-Account Field'),
      time: textField(names['time'], 'Time Field'),
    }),
    ...given({
      top: numberField(options['top'], 'top'),
      compare: booleanField(options['compare'], 'compare'),
    }),
  };
}
