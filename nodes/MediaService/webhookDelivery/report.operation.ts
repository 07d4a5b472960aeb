import type {
  IBinaryKeyData,
  IDataObject,
  IExecuteFunctions,
  INodeExecutionData,
  INodeProperties,
} from 'n8n-workflow';
import { collectionOf, field } from '../../../n8n/form-fields';
import { deliveryFilters, PERIOD_PARAMETERS, rangeOf, SCOPE } from './delivery-parameters';
import { given } from '../../../api/json';
import { collectReport } from '../../../reports/collect-report';
import { renderCsv } from '../../../reports/csv/report-csv';
import { renderHtml } from '../../../reports/html/report-html';
import { renderText, reportFileName } from '../../../reports/mail/report-mail';
import { GROUPS } from '../../../reports/report-request';
import type { ReportRequest } from '../../../reports/report-request';
import { subjectOf } from '../../../reports/words/report-words';
import type { Operation } from '../operation';
import { choicesField, fieldsOf, recordOf, textField } from '../parameters';
import { optionFields, optionValues } from '../option-fields';
import { DELIVERY_OPTIONS, REPORT_OPTIONS } from '../../../api/options/search-options';

/** A field of a delivery, for a service that does not use one of the usual names. */
function recordField(displayName: string, name: string, what: string): INodeProperties {
  const description = `Field of a delivery that holds ${what}. Leave empty to look for its usual names.`;
  return field(name, { displayName, description });
}

const OPTIONS: INodeProperties[] = [
  ...optionFields(REPORT_OPTIONS, ['compare', 'top']),
  field('fields', {
    displayName: 'Record Fields',
    type: 'fixedCollection',
    default: {},
    placeholder: 'Add Names',
    options: [
      {
        displayName: 'Names',
        name: 'names',
        values: [
          recordField('Media Field', 'media', 'its media ID'),
          recordField('Sub-Account Field', 'subAccount', 'its sub-account'),
          recordField('Time Field', 'time', 'the time it was sent'),
        ],
      },
    ],
  }),
];

export const REPORT_PARAMETERS: INodeProperties[] = [
  ...PERIOD_PARAMETERS,
  field('groups', {
    type: 'multiOptions',
    default: ['media'],
    options: [
      { name: 'Media', value: 'media' },
      { name: 'Sub-Account', value: 'subAccount' },
    ],
    description: 'Grouping reads the failed records, because only they name their media and sub-account',
  }),
  field('output', {
    type: 'multiOptions',
    default: [],
    options: [
      { name: 'CSV File', value: 'csv', description: 'All figures in one table, in the binary field csv' },
      { name: 'HTML File', value: 'html', description: 'One file with the chart, in the binary field html' },
      {
        name: 'Email Fields',
        value: 'mail',
        description: 'Adds subject, html and text to the item, ready for Send Email',
      },
    ],
    description: 'Additional outputs. The figures are always returned as JSON.',
    hint: 'In an email node, use {{ $json.subject }}, {{ $json.html }} and {{ $json.text }}',
  }),
  deliveryFilters(),
  collectionOf('Option', OPTIONS),
];

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
      ...optionValues(fieldsOf(context, 'filters', itemIndex), DELIVERY_OPTIONS, SCOPE),
    },
    groups: choicesField(context.getNodeParameter('groups', itemIndex, []), 'groups', GROUPS),
    fields: given({
      media: textField(names['media'], 'Media Field'),
      subAccount: textField(names['subAccount'], 'Sub-Account Field'),
      time: textField(names['time'], 'Time Field'),
    }),
    ...optionValues(options, REPORT_OPTIONS, ['compare', 'top']),
  };
}
