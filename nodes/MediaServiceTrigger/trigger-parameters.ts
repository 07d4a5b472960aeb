import type { INodeProperties } from 'n8n-workflow';
import { FILTERS, SEARCH_TERM } from '../MediaService/media/search-parameters';
import { TAG_FIELDS } from '../MediaService/tags';
import { TRIGGER_OPTIONS } from './trigger-options';

const DELIVERY_EVENTS = ['delivery', 'deliveryFailed'];

/** Those of the search that need no list from the service, and tags as they are typed. */
const MEDIA_FILTERS = [SEARCH_TERM, ...(FILTERS.options ?? [])]
  .filter((option): option is INodeProperties =>
    ['isActive', 'isLibrary', 'searchTerm', 'type'].includes(option.name),
  )
  .sort((a, b) => (a.displayName < b.displayName ? -1 : 1));

const OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: TRIGGER_OPTIONS,
};

export const TRIGGER_PARAMETERS: INodeProperties[] = [
  {
    displayName: 'Event',
    name: 'event',
    type: 'options',
    noDataExpression: true,
    default: 'deliveryFailed',
    options: [
      {
        name: 'Batch Ended',
        value: 'batchEnded',
        description: 'A batch of uploads ended on Temporal, whoever started it',
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
        description: 'A media matches the filters that was not there before',
      },
      {
        name: 'Upload Ended',
        value: 'uploadEnded',
        description: 'An upload completed or failed',
      },
    ],
  },
  {
    displayName: 'Watch',
    name: 'watch',
    type: 'options',
    default: 'uploadIds',
    displayOptions: { show: { event: ['uploadEnded'] } },
    options: [
      {
        name: 'All Uploads on Temporal',
        value: 'temporal',
        description: 'Every upload workflow of this account, whoever started it',
      },
      {
        name: 'Upload IDs',
        value: 'uploadIds',
        description: 'The sessions with these IDs, as the service knows them',
      },
    ],
  },
  {
    displayName: 'Upload IDs',
    name: 'uploadIds',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 5f1c…, 77ab…',
    displayOptions: { show: { event: ['uploadEnded'], watch: ['uploadIds'] } },
    description: 'IDs of upload sessions, separated by commas, or a list from an expression',
  },
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { event: ['media'] } },
    options: [...MEDIA_FILTERS, ...TAG_FIELDS],
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
  // Uploads that are watched by their IDs always count: no option changes that.
  { ...OPTIONS, displayOptions: { show: { event: ['batchEnded', 'media', ...DELIVERY_EVENTS] } } },
  { ...OPTIONS, displayOptions: { show: { event: ['uploadEnded'], watch: ['temporal'] } } },
];
