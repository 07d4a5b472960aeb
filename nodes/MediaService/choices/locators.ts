import type { INodeProperties } from 'n8n-workflow';

/** One media, found by its title or identified by its id. */
export const MEDIA_LOCATOR: INodeProperties = {
  displayName: 'Media',
  name: 'mediaId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'Only deliveries about this media item',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select media…',
      typeOptions: { searchListMethod: 'searchMedia', searchable: true },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 9f2c41d0' },
  ],
};

/** One sub-account, chosen from those in recent deliveries or identified by its id. */
export const SUB_ACCOUNT_LOCATOR: INodeProperties = {
  displayName: 'Sub-Account',
  name: 'subAccountId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'Only deliveries of this sub-account. Empty: all sub-accounts of the account.',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a sub-account…',
      hint: 'Sub-accounts with webhook deliveries in the last 30 days',
      typeOptions: { searchListMethod: 'searchSubAccounts', searchable: true },
    },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. north-studio' },
  ],
};

/** A property by which a search is sorted, chosen from those in the media, or typed. */
export const SORT_PROPERTY_LOCATOR: INodeProperties = {
  displayName: 'Property',
  name: 'property',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'Property of the media to sort by',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a property…',
      hint: 'Properties seen on the first 50 media',
      typeOptions: { searchListMethod: 'searchSortProperties', searchable: true },
    },
    { displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. title' },
  ],
};

/** The key of a tag, chosen from those in the media, or typed. */
export const TAG_KEY_LOCATOR: INodeProperties = {
  displayName: 'Key',
  name: 'key',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'Name of the tag',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a key…',
      hint: 'Keys seen on the first 500 media',
      typeOptions: { searchListMethod: 'searchTagKeys', searchable: true },
    },
    { displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. campaign' },
  ],
};

/** The value of a tag, chosen from those found with its key, or typed. */
export const TAG_VALUE_LOCATOR: INodeProperties = {
  displayName: 'Value',
  name: 'value',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  description: 'Value of the tag',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a value…',
      hint: 'Values seen under this key on the first 500 media',
      typeOptions: { searchListMethod: 'searchTagValues', searchable: true },
    },
    { displayName: 'By Value', name: 'text', type: 'string', placeholder: 'e.g. spring-26' },
  ],
};
