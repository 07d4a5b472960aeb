import type { INodeProperties } from 'n8n-workflow';
import { MEDIA_LOCATOR } from '../MediaService/media-choices';
import { STATUS, SUB_ACCOUNT } from '../MediaService/webhookDelivery/delivery-parameters';
import { FILTERS, SEARCH_TERM } from '../MediaService/media/search-parameters';
import { SIMPLIFY } from '../MediaService/parameters';
import { TRIGGER_OPTIONS } from './trigger-options';

const DELIVERY_EVENTS = ['delivery', 'deliveryFailed'];

/** The filters of Media > Search, without IDs, because media with known IDs are never new. */
const MEDIA_FILTERS = [SEARCH_TERM, ...(FILTERS.options ?? [])]
  .filter((option): option is INodeProperties => 'type' in option && option.name !== 'ids')
  .sort((a, b) => (a.displayName < b.displayName ? -1 : 1));

export const TRIGGER_PARAMETERS: INodeProperties[] = [
  {
    displayName: 'Event',
    name: 'event',
    type: 'options',
    noDataExpression: true,
    default: 'deliveryFailed',
    options: [
      {
        name: 'Batch Finished',
        value: 'batchFinished',
        description: 'A batch of uploads on workers finished, whoever started it',
      },
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
      {
        name: 'New Media',
        value: 'media',
        description: 'New media matches the filters',
      },
      {
        name: 'Upload Finished',
        value: 'uploadFinished',
        description: 'An upload of the account ended on a worker, whoever started it',
      },
    ],
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { event: ['media'] } },
    options: MEDIA_FILTERS,
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { event: DELIVERY_EVENTS } },
    options: [
      MEDIA_LOCATOR,
      {
        ...STATUS,
        default: ['FAILED', 'SUCCESS'],
        displayOptions: { show: { '/event': ['delivery'] } },
      },
      SUB_ACCOUNT,
    ],
  },
  { ...SIMPLIFY, displayOptions: { show: { event: ['media'] } } },
  {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: TRIGGER_OPTIONS,
  },
];
