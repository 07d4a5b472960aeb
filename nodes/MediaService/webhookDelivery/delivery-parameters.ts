import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { wrongField } from '../../../api/errors';
import { given } from '../../../api/json';
import { n8nClock } from '../../../n8n/n8n-clock';
import { DELIVERY_OPTIONS } from '../../../api/options/search-options';
import type { DeliveryQuery } from '../../../api/webhooks/delivery-query';
import { NAMED_PERIODS, periodNamed } from '../../../reports/period/period';
import { collectionOf, field } from '../../../n8n/form-fields';
import { optionField, optionFields, optionValues } from '../option-fields';
import { choiceField, fieldsOf, required, textField } from '../parameters';

export const SCOPE = ['mediaId', 'subAccountId'] as const;
export const DELIVERY_FILTERS = ['status', ...SCOPE] as const;
const CUSTOM_RANGE = { show: { period: ['custom'] } };

/** The period in which deliveries were sent: the same for every operation. */
export const PERIOD_PARAMETERS: INodeProperties[] = [
  field('period', {
    type: 'options',
    // As a report of the command.
    default: 'yesterday',
    options: [
      { name: 'Custom', value: 'custom' },
      { name: 'Last 24 Hours', value: 'last24Hours' },
      { name: 'Last 30 Days', value: 'last30Days', description: 'Whole days, up to last midnight' },
      { name: 'Last 7 Days', value: 'last7Days', description: 'Whole days, up to last midnight' },
      { name: 'Last Month', value: 'lastMonth', description: 'The calendar month before this one' },
      { name: 'Last Week', value: 'lastWeek', description: 'Monday to Sunday' },
      { name: 'This Month', value: 'thisMonth', description: 'Up to now' },
      { name: 'Yesterday', value: 'yesterday' },
    ],
    description: "Days are those of the workflow's time zone",
  }),
  field('from', {
    type: 'dateTime',
    default: '',
    displayOptions: CUSTOM_RANGE,
    description:
      "Beginning of the range, in the workflow's time zone. An expression may also give -24h or -7d.",
  }),
  field('to', {
    type: 'dateTime',
    default: '',
    displayOptions: CUSTOM_RANGE,
    description: `${DELIVERY_OPTIONS.to.description}. Empty: now.`,
  }),
];

export const STATUS = optionField('status', DELIVERY_OPTIONS.status);

/** The period and the filters of both operations. api.md, "GET {base_url}/api/webhook/search". */
export const DELIVERY_PARAMETERS: INodeProperties[] = [...PERIOD_PARAMETERS, deliveryFilters(STATUS)];

/** Filters of deliveries; the status counts where it is one of them. */
export function deliveryFilters(...status: INodeProperties[]): INodeProperties {
  return collectionOf('Filter', [...status, ...optionFields(DELIVERY_OPTIONS, SCOPE)]);
}

/** The query from the item's parameters. Dates without a zone use the workflow's zone. */
export function deliveryQueryOf(context: IExecuteFunctions, itemIndex: number): DeliveryQuery {
  const filters = fieldsOf(context, 'filters', itemIndex);
  const zone = context.getTimezone();
  return {
    ...rangeOf(context, itemIndex, zone),
    zone,
    ...optionValues(filters, DELIVERY_OPTIONS, DELIVERY_FILTERS),
  };
}

/** The chosen period, or `From` and `To`, each a text or the value of an expression. */
export function rangeOf(
  context: IExecuteFunctions,
  itemIndex: number,
  zone: string,
): Pick<DeliveryQuery, 'from' | 'to'> {
  const choices = [...NAMED_PERIODS, 'custom'] as const;
  const chosen = choiceField(context.getNodeParameter('period', itemIndex), 'period', choices);
  const period = required(chosen, 'period');
  if (period !== 'custom') return periodNamed(period, n8nClock.now(), zone);
  const from = whenOf(context.getNodeParameter('from', itemIndex), 'from');
  if (from === undefined) throw wrongField('from', 'is empty', 'Choose a date, or another period.');
  return {
    from,
    ...given({ to: whenOf(context.getNodeParameter('to', itemIndex, ''), 'to') }),
  };
}

/** A text, or the value of an expression: a Date, or a DateTime such as $now. */
function whenOf(value: unknown, name: string): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? refuseDate(name) : value.toISOString();
  if (isDateTime(value)) return value.toISO() ?? refuseDate(name);
  return textField(value, name);
}

function refuseDate(name: string): never {
  throw wrongField(name, "isn't a valid date", 'Check what its expression reads.');
}

function isDateTime(value: unknown): value is { toISO(): string | null } {
  return typeof value === 'object' && value !== null && 'toISO' in value && typeof value.toISO === 'function';
}
