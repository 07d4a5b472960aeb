import type { INodeProperties } from 'n8n-workflow';
import { TAGS } from '../tags';

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
    TAGS,
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
  type: 'string',
  default: '',
  placeholder: 'e.g. createdAt,DESC',
  description:
    'Property, then ASC or DESC, then ignorecase, with commas between them; several rules with semicolons. Empty: the service chooses the order.',
};
