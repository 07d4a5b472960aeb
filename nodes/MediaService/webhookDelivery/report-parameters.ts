import type { INodeProperties } from 'n8n-workflow';
import { collectionOf, field, switchField } from '../../../n8n/form-fields';
import { deliveryFilters, PERIOD_PARAMETERS } from './delivery-parameters';

/** A field of a delivery, for a service that does not use one of the usual names. */
function recordField(displayName: string, name: string, what: string): INodeProperties {
  const description = `Field of a delivery that holds ${what}. Leave empty to look for its usual names.`;
  return field(name, { displayName, description });
}

const OPTIONS: INodeProperties[] = [
  switchField('compare', {
    default: true,
    description: 'Whether to compare with the preceding period of the same length',
  }),
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
  field('top', {
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 100 },
    default: 10,
    description: 'How many media and sub-accounts to list, those with most failures first',
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
