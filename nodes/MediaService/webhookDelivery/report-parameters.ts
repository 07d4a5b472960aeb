import type { INodeProperties } from 'n8n-workflow';
import { MEDIA_LOCATOR } from '../media-choices';
import { SUB_ACCOUNT } from './delivery-parameters';
import { PERIOD_PARAMETERS } from './delivery-parameters';

const OPTIONS: INodeProperties[] = [
  {
    displayName: 'Byte Order Mark',
    name: 'byteOrderMark',
    type: 'boolean',
    default: true,
    description: 'Whether the CSV file begins with a byte order mark, which Excel needs to read UTF-8',
  },
  {
    displayName: 'Compare with Period Before',
    name: 'compare',
    type: 'boolean',
    default: true,
    description: 'Whether to compare with the preceding period of the same length',
  },
  {
    displayName: 'Max Records',
    name: 'maxRecords',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 20000,
    description:
      'Max number of records to read. If there are more, the report says that it is incomplete; totals are still counted.',
  },
  {
    displayName: 'Media Field',
    name: 'mediaField',
    type: 'string',
    default: '',
    placeholder: 'e.g. assetKey',
    description: 'Field of a delivery that holds its media ID. Leave empty to look for its usual names.',
  },
  {
    displayName: 'Put CSV File in Field',
    name: 'csvField',
    type: 'string',
    default: 'csv',
    hint: 'The name of the output binary field to put the file in',
  },
  {
    displayName: 'Put HTML File in Field',
    name: 'htmlField',
    type: 'string',
    default: 'html',
    hint: 'The name of the output binary field to put the file in',
  },
  {
    displayName: 'Sub-Account Field',
    name: 'subAccountField',
    type: 'string',
    default: '',
    placeholder: 'e.g. tenantKey',
    description: 'Field of a delivery that holds its sub-account. Leave empty to look for its usual names.',
  },
  {
    displayName: 'Time Field',
    name: 'timeField',
    type: 'string',
    default: '',
    placeholder: 'e.g. sentAt',
    description: 'Field with the time a delivery was sent. Leave empty to look for its usual names.',
  },
  {
    displayName: 'Time Zone',
    name: 'timeZone',
    type: 'string',
    default: '',
    placeholder: 'e.g. Europe/Berlin',
    description: "Time zone of days and hours. Empty: the workflow's.",
  },
  {
    displayName: 'Top Rows',
    name: 'top',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 100 },
    default: 10,
    description: 'How many media and sub-accounts to list, those with most failures first',
  },
];

export const REPORT_PARAMETERS: INodeProperties[] = [
  ...PERIOD_PARAMETERS,
  {
    displayName: 'Interval',
    name: 'interval',
    type: 'options',
    default: 'auto',
    options: [
      { name: 'Automatic', value: 'auto', description: 'By the length of the period' },
      { name: 'Day', value: 'day' },
      { name: 'Hour', value: 'hour' },
      { name: 'Week', value: 'week' },
    ],
    description: 'Length of the intervals in chart and table',
  },
  {
    displayName: 'Group Failures By',
    name: 'groups',
    type: 'multiOptions',
    default: ['media'],
    options: [
      { name: 'Media', value: 'media' },
      { name: 'Sub-Account', value: 'subAccount' },
    ],
    description: 'Grouping reads the failed records, because only they name their media and sub-account',
  },
  {
    displayName: 'Output',
    name: 'output',
    type: 'multiOptions',
    default: ['mail'],
    options: [
      { name: 'CSV File', value: 'csv', description: 'All figures in one table' },
      { name: 'HTML File', value: 'html', description: 'One file with the chart' },
      {
        name: 'Email Fields',
        value: 'mail',
        description: 'Adds subject, html and text to the item, ready for Send Email',
      },
    ],
    description: 'Additional outputs. The figures are always returned as JSON.',
    hint: 'In an email node, use {{ $json.subject }}, {{ $json.html }} and {{ $json.text }}',
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    options: [MEDIA_LOCATOR, SUB_ACCOUNT],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: OPTIONS,
  },
];
