import type { INodeProperties } from 'n8n-workflow';
import { deliveryFilters, STATUS } from '../MediaService/webhookDelivery/delivery-parameters';
import { FILTERS, SEARCH_TERM } from '../MediaService/media/search-parameters';
import { collectionOf, field } from '../../n8n/form-fields';
import { SIMPLIFY } from '../MediaService/parameters';
import { TRIGGER_OPTIONS } from './trigger-options';

/** The filters of Media > Search, without IDs, because media with known IDs are never new. */
const MEDIA_FILTERS = [SEARCH_TERM, ...(FILTERS.options ?? [])].filter(
  (option): option is INodeProperties => 'type' in option && option.name !== 'ids',
);

export const TRIGGER_PARAMETERS: INodeProperties[] = [
  field('event', {
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
  }),
  { ...collectionOf('Filter', MEDIA_FILTERS), displayOptions: { show: { event: ['media'] } } },
  {
    ...deliveryFilters({
      ...STATUS,
      default: ['FAILED', 'SUCCESS'],
      displayOptions: { show: { '/event': ['delivery'] } },
    }),
    displayOptions: { show: { event: ['delivery', 'deliveryFailed'] } },
  },
  { ...SIMPLIFY, displayOptions: { show: { event: ['media'] } } },
  collectionOf('Option', TRIGGER_OPTIONS),
];
