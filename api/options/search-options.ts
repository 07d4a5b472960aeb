import type { OptionTable } from './option';

export const MEDIA_TYPES = ['VIDEO', 'IMAGE', 'AUDIO', 'DOCUMENT'] as const;
export const DELIVERY_STATUSES = ['FAILED', 'SUCCESS'] as const;

const ONLY = { command: '`--only library`, `noLibrary`, `active` or `inactive`' };

/** Which media a search finds. Named as the fields of `MediaFilter`. */
export const SEARCH_OPTIONS = {
  searchTerm: { type: 'text', description: 'Words of the title, matched flexibly', flag: '[term]' },
  ids: { type: 'list', description: 'Only these media items', flag: '--media-id <id>' },
  type: { type: 'text', values: MEDIA_TYPES, description: 'Only media of this type', flag: '--type <type>' },
  tags: { type: 'texts', description: 'Only media with these tags', flag: '--tag <key=value>' },
  isLibrary: {
    type: 'boolean',
    description: 'Find media of the permanent library only, or other media only',
    notIn: ONLY,
  },
  isActive: { type: 'boolean', description: 'Find active media only, or inactive media only', notIn: ONLY },
  sort: {
    type: 'list',
    description: 'Rule of the order, as title,DESC or title,ASC,ignorecase',
    flag: '--sort <rule>',
  },
} as const satisfies OptionTable;

/** Which webhook deliveries are listed, written or counted. Named as the fields of `DeliveryQuery`. */
export const DELIVERY_OPTIONS = {
  period: {
    type: 'text',
    description: 'Yesterday, the last 7 days, this month and the like',
    notIn: { command: '`--from` takes yesterday, -7d and the like' },
  },
  from: {
    type: 'text',
    description: 'Start, as 2026-11-01, -24h, yesterday or an ISO time',
    flag: '--from <when>',
  },
  to: {
    type: 'text',
    description: 'End, not included; the day of the start means that whole day',
    flag: '--to <when>',
  },
  zone: {
    type: 'text',
    description: 'Time zone of days and of dates without one; otherwise that of the machine',
    flag: '--timezone <zone>',
    notIn: { n8n: "the workflow's time zone" },
  },
  status: {
    type: 'list',
    values: DELIVERY_STATUSES,
    description: 'Only these statuses',
    flag: '--status <status>',
  },
  mediaId: { type: 'text', description: 'Only deliveries about this media item', flag: '--media-id <id>' },
  subAccountId: {
    type: 'text',
    description: 'Only deliveries of this sub-account; otherwise all of the account',
    flag: '--sub-account <id>',
  },
} as const satisfies OptionTable;

/** How a report counts deliveries. Named as the fields of `ReportRequest`. */
export const REPORT_OPTIONS = {
  groups: {
    type: 'list',
    values: ['media', 'subAccount'],
    description: 'Fields by which failures are grouped',
    notIn: { command: 'always both; with `--sub-account` only media' },
  },
  top: {
    type: 'integer',
    min: 1,
    max: 100,
    default: 10,
    description: 'How many media and sub-accounts are listed, those with most failures first',
    notIn: { command: 'always 10; `--format json` is for programs' },
  },
  compare: {
    type: 'boolean',
    default: true,
    description: 'Compare with the preceding period of the same length; otherwise count this one only',
    notIn: { command: 'always' },
  },
  /** With more records, the report is incomplete. */
  maxRecords: {
    type: 'integer',
    min: 1,
    default: 20_000,
    internal: true,
    description: 'How many records are read',
  },
  fields: {
    type: 'object',
    description: 'Names of the fields of a delivery that hold its media, sub-account and time',
    notIn: { command: 'the usual names are found by themselves; n8n can name others' },
  },
} as const satisfies OptionTable;
