import type { INodeProperties } from 'n8n-workflow';
import { TRIGGER_OPTIONS } from './trigger-options';

const DELIVERY_EVENTS = ['delivery', 'deliveryFailed'];

export const TRIGGER_PARAMETERS: INodeProperties[] = [
  {
    displayName: 'Event',
    name: 'event',
    type: 'options',
    noDataExpression: true,
    default: 'deliveryFailed',
    options: [
      {
        name: 'New Delivery',
        value: 'delivery',
        description: 'A webhook was delivered, or its delivery failed',
      },
      {
        name: 'New Failed Delivery',
        value: 'deliveryFailed',
        description: 'The delivery of a webhook failed',
      },
    ],
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { event: DELIVERY_EVENTS } },
    options: [
      {
        displayName: 'Media ID',
        name: 'mediaId',
        type: 'string',
        default: '',
        description: 'Only deliveries tied to this media',
      },
      {
        displayName: 'Status',
        name: 'status',
        type: 'multiOptions',
        default: ['FAILED', 'SUCCESS'],
        displayOptions: { show: { '/event': ['delivery'] } },
        options: [
          { name: 'Failed', value: 'FAILED' },
          { name: 'Success', value: 'SUCCESS' },
        ],
        description: 'Only deliveries of these statuses. Empty: all.',
      },
      {
        displayName: 'Sub-Account ID',
        name: 'subAccountId',
        type: 'string',
        default: '',
        description: 'Only deliveries of this sub-account. Empty: all sub-accounts of the account.',
      },
    ],
  },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: TRIGGER_OPTIONS,
  },
];
