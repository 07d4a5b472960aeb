import type { INodeProperties } from 'n8n-workflow';
import { TAG_FIELDS } from '../tags';

export const SEARCH_TERM: INodeProperties = {
  displayName: 'Search Term',
  name: 'searchTerm',
  type: 'string',
  default: '',
  placeholder: 'e.g. kitchen after',
  description: 'Words of the title, matched flexibly. Empty: all media.',
};

/** The rest of the media search filter. api.md, "Media search filter". */
export const FILTERS: INodeProperties = {
  displayName: 'Filters',
  name: 'filters',
  type: 'collection',
  placeholder: 'Add Filter',
  default: {},
  options: [
    {
      displayName: 'Active',
      name: 'isActive',
      type: 'boolean',
      default: true,
      description: 'Whether to find active media only, or inactive media only',
    },
    {
      displayName: 'IDs',
      name: 'ids',
      type: 'string',
      default: '',
      placeholder: 'e.g. 9f2c…, 77ab…',
      description: 'Media IDs, separated by commas, or a list from an expression',
    },
    {
      displayName: 'In Library',
      name: 'isLibrary',
      type: 'boolean',
      default: true,
      description: 'Whether to find media of the permanent library only, or other media only',
    },
    ...TAG_FIELDS,
    {
      displayName: 'Type',
      name: 'type',
      type: 'options',
      default: 'VIDEO',
      options: [
        { name: 'Audio', value: 'AUDIO' },
        { name: 'Document', value: 'DOCUMENT' },
        { name: 'Image', value: 'IMAGE' },
        { name: 'Video', value: 'VIDEO' },
      ],
    },
  ],
};

export const SORT: INodeProperties = {
  displayName: 'Sort',
  name: 'sort',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true, sortable: true },
  placeholder: 'Add Sort Rule',
  default: {},
  description: 'Rules in order of precedence. Without rules, the service chooses the order.',
  options: [
    {
      displayName: 'Rule',
      name: 'rule',
      values: [
        {
          displayName: 'Property',
          name: 'property',
          type: 'string',
          default: '',
          placeholder: 'e.g. title',
          description: 'Property of the media to sort by',
        },
        {
          displayName: 'Direction',
          name: 'direction',
          type: 'options',
          default: 'ASC',
          options: [
            { name: 'Ascending', value: 'ASC' },
            { name: 'Descending', value: 'DESC' },
          ],
        },
        {
          displayName: 'Ignore Case',
          name: 'ignoreCase',
          type: 'boolean',
          default: false,
          description: 'Whether upper and lower case count as the same',
        },
      ],
    },
  ],
};

export const SEARCH_OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [
    {
      displayName: 'Page',
      name: 'page',
      type: 'number',
      typeOptions: { minValue: 0 },
      default: 0,
      description: 'Return only this page, counted from 0. Return All and Limit then do not apply.',
    },
    {
      displayName: 'Page Size',
      name: 'pageSize',
      type: 'number',
      typeOptions: { minValue: 0, maxValue: 1000 },
      default: 500,
      description: 'Results per request, up to 1000',
    },
  ],
};
