import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { ValidationError } from '../../api/errors';
import { MINUTE_MS } from '../../api/clock';
import { n8nClock } from '../../n8n/n8n-clock';
import { parseWhen } from '../../api/when';
import { numberField, recordOf, textField } from '../MediaService/parameters';
import type { Fields } from '../MediaService/parameters';
import type { PollAccess } from './poll-access';
import type { PollSettings } from './poll/period-event';

const DEFAULT_OVERLAP_MINUTES = 15;
const OVERLAP = { name: 'overlapMinutes', label: 'Overlap', max: 24 * 60, unset: DEFAULT_OVERLAP_MINUTES };
const DEFAULT_LIMIT = 5_000;
const LIMIT = { name: 'limitPerPoll', label: 'Limit per Poll', max: 50_000, unset: DEFAULT_LIMIT };
/** At most about 3 MB of static data, which n8n writes to its database with every event. */
const MAX_SEEN = 100_000;

const FOUND_BY_TIME = { hide: { '/event': ['media'] } };

export const TRIGGER_OPTIONS: INodeProperties[] = [
  {
    displayName: 'ID Field',
    name: 'idField',
    type: 'string',
    default: '',
    placeholder: 'e.g. payload.deliveryId',
    description:
      'Field with the unique ID of a delivery or media item. Leave empty to look for its usual names. A delivery without an ID is compared as a whole.',
    displayOptions: { show: { '/event': ['delivery', 'deliveryFailed', 'media'] } },
  },
  {
    displayName: 'Limit per Poll',
    name: 'limitPerPoll',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: LIMIT.max },
    default: DEFAULT_LIMIT,
    description: 'Max number of items per poll, approximately; the next polls continue from there',
  },
  {
    displayName: 'Overlap (Minutes)',
    name: 'overlapMinutes',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: OVERLAP.max },
    default: DEFAULT_OVERLAP_MINUTES,
    description:
      'How late a record may appear in the service and still be found. Each poll reads this far back again.',
    displayOptions: FOUND_BY_TIME,
  },
  {
    displayName: 'Start From',
    name: 'startFrom',
    type: 'string',
    default: 'now',
    placeholder: 'e.g. -24h or 2026-11-01',
    description:
      "Where the first poll begins: now, or a date in the workflow's time zone. Changing it resets the trigger.",
    displayOptions: FOUND_BY_TIME,
  },
];

export function optionsOf(context: IPollFunctions): Fields {
  return recordOf(context.getNodeParameter('options', {}));
}

/** Start, overlap and limits of events that are found by their time. */
export function pollSettingsOf({ context, signal }: PollAccess): PollSettings {
  const options = optionsOf(context);
  const startFrom = textField(options['startFrom'], 'Start From') ?? 'now';
  const now = n8nClock.now();
  const zone = context.getTimezone();
  const start =
    startFrom.toLowerCase() === 'now'
      ? {}
      : { startAt: Date.parse(parseWhen(startFrom, { now, zone, field: 'Start From' })) };
  if (start.startAt !== undefined && start.startAt > now) {
    throw new ValidationError('Start From', '"Start From" is in the future', 'Enter a past date, or now.');
  }
  return {
    ...start,
    startFrom,
    overlapMs: wholeNumber(options, OVERLAP) * MINUTE_MS,
    maxNewItems: wholeNumber(options, LIMIT),
    maxSeen: MAX_SEEN,
    now: () => n8nClock.now(),
    signal,
  };
}

function wholeNumber(options: Fields, { name, label, max, unset }: typeof OVERLAP): number {
  const number = numberField(options[name], label) ?? unset;
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new ValidationError(name, `"${label}" is ${number}: it must be a whole number from 1 to ${max}`);
}
