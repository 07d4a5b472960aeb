import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../../api/errors';
import { DELIVERY_STATUSES } from '../../../api/webhooks/delivery-query';
import type { DeliveryQuery, DeliveryStatus } from '../../../api/webhooks/delivery-query';
import { MEDIA_LOCATOR, SUB_ACCOUNT_LOCATOR } from '../choices/locators';
import { fieldsOf, given, givenValue, listField, textField } from '../parameters';

const DATE_HINT =
  'A date, a date with time, or -24h, -7d, now, today, yesterday; read in the time zone of the workflow';

export const FROM: INodeProperties = {
  displayName: 'From',
  name: 'from',
  type: 'string',
  required: true,
  default: '-24h',
  placeholder: 'e.g. 2026-11-01 or -24h',
  description: 'Deliveries sent at or after this moment',
  hint: DATE_HINT,
};

export const TO: INodeProperties = {
  displayName: 'To',
  name: 'to',
  type: 'string',
  default: 'now',
  placeholder: 'e.g. 2026-11-02 or now',
  description: 'Deliveries sent before this moment: for one whole day give the next day',
};

/** The range and the filters of both operations. api.md, "GET {base_url}/api/webhook/search". */
export const DELIVERY_PARAMETERS: INodeProperties[] = [
  FROM,
  TO,
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    options: [
      MEDIA_LOCATOR,
      {
        displayName: 'Status',
        name: 'status',
        type: 'multiOptions',
        default: ['FAILED'],
        options: [
          { name: 'Failed', value: 'FAILED' },
          { name: 'Success', value: 'SUCCESS' },
        ],
        description: 'Only deliveries of these statuses. Empty: all.',
      },
      SUB_ACCOUNT_LOCATOR,
    ],
  },
];

export const PAGE_SIZE: INodeProperties = {
  displayName: 'Page Size',
  name: 'pageSize',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 1000 },
  default: 500,
  description: 'Records per request, up to 1000',
};

/** What the parameters of the item ask for. Dates without a zone are the workflow's own. */
export function deliveryQueryOf(context: IExecuteFunctions, itemIndex: number): DeliveryQuery {
  const filters = fieldsOf(context, 'filters', itemIndex);
  return {
    ...rangeOf(context, itemIndex),
    zone: context.getTimezone(),
    ...given({
      status: listField(filters['status'], 'Status')?.map(statusOf),
      mediaId: textField(filters['mediaId'], 'Media'),
      subAccountId: textField(filters['subAccountId'], 'Sub-Account'),
    }),
  };
}

/** `From` and `To`, each a text or what an expression gives. */
export function rangeOf(context: IExecuteFunctions, itemIndex: number): Pick<DeliveryQuery, 'from' | 'to'> {
  const from = whenOf(givenValue(context.getNodeParameter('from', itemIndex)), 'From');
  if (from === undefined) throw new ValidationError('from', '"From" is empty', 'Write a date, or -24h.');
  return {
    from,
    ...given({ to: whenOf(givenValue(context.getNodeParameter('to', itemIndex, 'now')), 'To') }),
  };
}

/** Text, or what an expression gives: a Date, or a DateTime such as $now. */
function whenOf(value: unknown, name: string): string | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? refuseDate(name) : value.toISOString();
  if (isDateTime(value)) return value.toISO() ?? refuseDate(name);
  return textField(value, name);
}

function refuseDate(name: string): never {
  throw new ValidationError(name, `"${name}" is no date`, 'Check what its expression reads.');
}

function isDateTime(value: unknown): value is { toISO(): string | null } {
  return typeof value === 'object' && value !== null && 'toISO' in value && typeof value.toISO === 'function';
}

function statusOf(text: string): DeliveryStatus {
  const found = DELIVERY_STATUSES.find((status) => status === text.toUpperCase());
  if (found !== undefined) return found;
  throw new ValidationError('status', `"Status" must be one of ${DELIVERY_STATUSES.join(', ')}`);
}
