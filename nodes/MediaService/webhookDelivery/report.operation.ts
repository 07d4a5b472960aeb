import type { IBinaryKeyData, IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { ValidationError } from '../../../api/errors';
import { given } from '../../../api/json';
import { collectReport } from '../../../reports/collect-report';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { reportFileName } from '../../../reports/mail/report-mail';
import { renderText } from '../../../reports/mail/report-text';
import { INTERVALS } from '../../../reports/period/intervals';
import type { DeliveryReport } from '../../../reports/report';
import { GROUPS } from '../../../reports/report-request';
import type { ReportRequest } from '../../../reports/report-request';
import { subjectOf } from '../../../reports/words/report-words';
import type { Operation } from '../operation';
import { booleanField, choiceField, choicesField, fieldsOf, numberField, textField } from '../parameters';
import type { Fields } from '../parameters';
import { rangeOf } from './delivery-parameters';
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
    const options = fieldsOf(context, 'options', itemIndex);
    const outputs = choicesField(context.getNodeParameter('output', itemIndex, []), 'Output', OUTPUTS);
    const binaryFields = binaryFieldsOf(options, outputs);
    const account = await service(itemIndex);
    const request = requestOf(context, itemIndex);
    const counted = await collectReport(account, request, signal);
    const html = outputs.includes('html') || outputs.includes('mail') ? renderHtml(counted) : '';
    const json: IDataObject = { ...counted };
    if (outputs.includes('mail')) {
      Object.assign(json, { subject: subjectOf(counted), html, text: renderText(counted) });
    }
    const files = filesOf(counted, { html, options, binaryFields }).filter(({ output }) =>
      outputs.includes(output),
    );
    const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
    return [files.length === 0 ? item : { ...item, binary: await binaryOf(context, files) }];
  },
};

function requestOf(context: IExecuteFunctions, itemIndex: number): ReportRequest {
  const options = fieldsOf(context, 'options', itemIndex);
  const filters = fieldsOf(context, 'filters', itemIndex);
  const zone = textField(options['timeZone'], 'Time Zone') ?? context.getTimezone();
  const interval = choiceField(context.getNodeParameter('interval', itemIndex), 'Interval', [
    ...INTERVALS,
    'auto',
  ]);
  return {
    query: {
      ...rangeOf(context, itemIndex, zone),
      zone,
      ...given({
        mediaId: textField(filters['mediaId'], 'Media'),
        subAccountId: textField(filters['subAccountId'], 'Sub-Account'),
      }),
    },
    groups: choicesField(context.getNodeParameter('groups', itemIndex, []), 'Group Failures By', GROUPS),
    fields: given({
      media: textField(options['mediaField'], 'Media Field'),
      subAccount: textField(options['subAccountField'], 'Sub-Account Field'),
      time: textField(options['timeField'], 'Time Field'),
    }),
    ...given({
      interval: interval === 'auto' ? undefined : interval,
      top: numberField(options['top'], 'Top Rows'),
      compare: booleanField(options['compare'], 'Compare with Period Before'),
      maxRecords: numberField(options['maxRecords'], 'Max Records'),
    }),
  };
}

interface ReportFile {
  readonly output: (typeof OUTPUTS)[number];
  readonly field: string;
  readonly content: string;
  readonly fileName: string;
  readonly mimeType: string;
}

interface BinaryFields {
  readonly csv: string;
  readonly html: string;
}

/**
 * The binary fields for the files. Checked before anything is counted, because one file must not replace the other.
 */
function binaryFieldsOf(options: Fields, outputs: readonly string[]): BinaryFields {
  const csv = textField(options['csvField'], 'Put CSV File in Field') ?? 'csv';
  const html = textField(options['htmlField'], 'Put HTML File in Field') ?? 'html';
  if (csv !== html || !outputs.includes('csv') || !outputs.includes('html')) return { csv, html };
  throw new ValidationError(
    'Put HTML File in Field',
    `The CSV and the HTML file would both go into the field "${csv}"`,
    'Name another field in "Put CSV File in Field" or "Put HTML File in Field".',
  );
}

function filesOf(
  counted: DeliveryReport,
  { html, options, binaryFields }: { html: string; options: Fields; binaryFields: BinaryFields },
): ReportFile[] {
  const byteOrderMark = booleanField(options['byteOrderMark'], 'Byte Order Mark') ?? true;
  return [
    {
      output: 'csv',
      field: binaryFields.csv,
      content: renderCsv(counted, { byteOrderMark }),
      fileName: reportFileName(counted, 'csv'),
      mimeType: 'text/csv',
    },
    {
      output: 'html',
      field: binaryFields.html,
      content: html,
      fileName: reportFileName(counted, 'html'),
      mimeType: 'text/html',
    },
  ];
}

async function binaryOf(context: IExecuteFunctions, files: readonly ReportFile[]): Promise<IBinaryKeyData> {
  const binary: IBinaryKeyData = {};
  for (const { field, content, fileName, mimeType } of files) {
    binary[field] = await context.helpers.prepareBinaryData(Buffer.from(content), fileName, mimeType);
  }
  return binary;
}
