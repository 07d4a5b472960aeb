import { ValidationError } from '../../api/errors';
import { DELIVERY_STATUSES } from '../../api/webhooks/delivery-query';
import { given, isRecord, listField, textField } from '../MediaService/parameters';
import { newDeliveries } from './events/new-deliveries';
import type { PollAccess } from './poll-access';
import type { TriggerEvent } from './trigger-event';
import { optionsOf, windowSettingsOf } from './trigger-options';

/** What the parameters of the trigger ask for. */
export async function openEvent(access: PollAccess): Promise<TriggerEvent> {
  const { context } = access;
  const event: unknown = context.getNodeParameter('event');
  switch (event) {
    case 'deliveryFailed':
    case 'delivery':
      return openDeliveries(access, event);
    default:
      throw new ValidationError('event', `This trigger has no event "${String(event)}"`);
  }
}

async function openDeliveries(
  access: PollAccess,
  event: 'deliveryFailed' | 'delivery',
): Promise<TriggerEvent> {
  const { context } = access;
  const value: unknown = context.getNodeParameter('filters', {});
  const filters = isRecord(value) ? value : {};
  const options = optionsOf(context);
  const chosen = event === 'deliveryFailed' ? ['FAILED'] : listField(filters['status'], 'Status');
  const status = DELIVERY_STATUSES.filter((one) => chosen?.includes(one));
  const service = await access.service();
  return newDeliveries(
    service,
    {
      ...given({
        status: status.length === 0 ? undefined : status,
        mediaId: textField(filters['mediaId'], 'Media ID'),
        subAccountId: textField(filters['subAccountId'], 'Sub-Account ID'),
      }),
      fields: given({
        id: textField(options['idField'], 'ID Field'),
        time: textField(options['timeField'], 'Time Field'),
      }),
    },
    windowSettingsOf(access),
  );
}
