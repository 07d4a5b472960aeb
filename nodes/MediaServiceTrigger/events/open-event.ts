import { given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { ValidationError } from '../../../api/errors';
import { filterOf } from '../../MediaService/media/search.operation';
import { mediaJson } from '../../MediaService/media/simple-media';
import { booleanField, recordOf, textField } from '../../MediaService/parameters';
import { filterFieldsOf, statusesOf } from '../../MediaService/webhookDelivery/delivery-parameters';
import type { PollAccess } from '../poll-access';
import { optionsOf, pollSettingsOf } from '../trigger-options';
import { endedOnWorkers } from './ended-on-workers';
import { newDeliveries } from './new-deliveries';
import { newMedia } from './new-media';
import type { TriggerEvent } from '../poll/period-event';

/** Opens the event that the trigger's parameters choose. */
export async function openEvent(access: PollAccess): Promise<TriggerEvent> {
  const event: unknown = access.context.getNodeParameter('event');
  switch (event) {
    case 'deliveryFailed':
    case 'delivery':
      return openDeliveries(access, event);
    case 'batchFinished':
      return endedOnWorkers(await access.door(), 'batches', pollSettingsOf(access));
    case 'uploadFinished':
      return endedOnWorkers(await access.door(), 'uploads', pollSettingsOf(access));
    case 'media':
      return openMedia(access);
    default:
      throw new ValidationError('event', `This trigger has no event "${String(event)}"`);
  }
}

async function openDeliveries(
  access: PollAccess,
  event: 'deliveryFailed' | 'delivery',
): Promise<TriggerEvent> {
  const filters = recordOf(access.context.getNodeParameter('filters', {}));
  const wanted = given({
    status: event === 'deliveryFailed' ? (['FAILED'] as const) : statusesOf(filters),
  });
  const fields = given({ id: textField(optionsOf(access.context)['idField'], 'idField') });
  return newDeliveries(
    await access.service(),
    { ...wanted, ...filterFieldsOf(filters), fields },
    pollSettingsOf(access),
  );
}

async function openMedia(access: PollAccess): Promise<TriggerEvent> {
  const { context, signal } = access;
  const filter = filterOf(recordOf(context.getNodeParameter('filters', {})));
  const idField = textField(optionsOf(context)['idField'], 'idField');
  const simplify = booleanField(context.getNodeParameter('simplify', true), 'simplify') ?? true;
  const present = (media: JsonObject): JsonObject => mediaJson(media, simplify);
  const { maxNewItems: limit } = pollSettingsOf(access);
  return newMedia(await access.service(), { filter, idField, present, limit, signal });
}
