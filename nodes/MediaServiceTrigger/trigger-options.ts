import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { ValidationError } from '../../api/errors';
import { MINUTE_MS } from '../../api/clock';
import { n8nClock } from '../../n8n/n8n-clock';
import { parseWhen } from '../../api/when';
import { field } from '../../n8n/form-fields';
import { numberField, recordOf, textField } from '../MediaService/parameters';
import type { Fields } from '../MediaService/parameters';
import type { PollAccess } from './poll-access';
import type { PollSettings } from './poll/period-event';

const DEFAULT_OVERLAP_MINUTES = 15;
const MAX_OVERLAP_MINUTES = 24 * 60;
/** Approximately. The next polls continue from there. */
const MAX_NEW_ITEMS = 5_000;
/** At most about 3 MB of static data, which n8n writes to its database with every event. */
const MAX_SEEN = 100_000;

const FOUND_BY_TIME = { hide: { '/event': ['media'] } };

export const TRIGGER_OPTIONS: INodeProperties[] = [
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

export function optionsOf(context: IPollFunctions): Fields {
  return recordOf(context.getNodeParameter('options', {}));
}

/** Start, overlap and limits of events that are found by their time. */
export function pollSettingsOf({ context, signal }: PollAccess): PollSettings {
  const options = optionsOf(context);
  const startFrom = textField(options['startFrom'], 'startFrom') ?? 'now';
  const now = n8nClock.now();
  const zone = context.getTimezone();
  const start =
    startFrom.toLowerCase() === 'now'
      ? {}
      : { startAt: Date.parse(parseWhen(startFrom, { now, zone, field: 'Start From' })) };
  if (start.startAt !== undefined && start.startAt > now) {
    throw new ValidationError('startFrom', '"Start From" is in the future', 'Enter a past date, or now.');
  }
  const overlapMinutes = numberField(options['overlapMinutes'], 'overlapMinutes') ?? DEFAULT_OVERLAP_MINUTES;
  if (overlapMinutes < 1 || overlapMinutes > MAX_OVERLAP_MINUTES) {
    const wanted = `it must be from 1 to ${MAX_OVERLAP_MINUTES}`;
    throw new ValidationError('overlapMinutes', `"Overlap (Minutes)" is ${overlapMinutes}: ${wanted}`);
  }
  return {
    ...start,
    startFrom,
    overlapMs: overlapMinutes * MINUTE_MS,
    maxNewItems: MAX_NEW_ITEMS,
    maxSeen: MAX_SEEN,
    now: () => n8nClock.now(),
    signal,
  };
}
