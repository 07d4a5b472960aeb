import type { INodeProperties } from 'n8n-workflow';
import { collectionOf, field } from '../../n8n/form-fields';
import { FILTERS, SEARCH_TERM } from '../MediaService/media/search.operation';
import { SIMPLIFY } from '../MediaService/parameters';
import { deliveryFilters, STATUS } from '../MediaService/webhookDelivery/delivery-parameters';

export const DEFAULT_OVERLAP_MINUTES = 15;
export const MAX_OVERLAP_MINUTES = 24 * 60;

const FOUND_BY_TIME = { hide: { '/event': ['media'] } };

const TRIGGER_OPTIONS: INodeProperties[] = [
  field('idField', {
    placeholder: 'e.g. payload.deliveryId',
    description:
      'Field with the unique ID of a delivery or media item. Leave empty to look for its usual names. A delivery without an ID is compared as a whole.',
    displayOptions: { show: { '/event': ['delivery', 'deliveryFailed', 'media'] } },
  }),
  field('overlapMinutes', {
    type: 'number',
    typeOptions: { minValue: 1, maxValue: MAX_OVERLAP_MINUTES },
    default: DEFAULT_OVERLAP_MINUTES,
    description:
      'How late a record may appear in the service and still be found. Each poll reads this far back again.',
    displayOptions: FOUND_BY_TIME,
  }),
  field('startFrom', {
    default: 'now',
    placeholder: 'e.g. -24h or 2026-11-01',
    description:
      "Where the first poll begins: now, or a date in the workflow's time zone. Changing it resets the trigger.",
    displayOptions: FOUND_BY_TIME,
  }),
];

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
