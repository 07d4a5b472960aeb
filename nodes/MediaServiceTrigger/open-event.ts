import type { MediaFilter } from '../../api/media/media-filter';
import { ConfigurationError, ValidationError } from '../../api/errors';
import { DELIVERY_STATUSES } from '../../api/webhooks/delivery-query';
import { filterOf } from '../MediaService/media/search.operation';
import { given, givenFields, listField, textField } from '../MediaService/parameters';
import type { Fields } from '../MediaService/parameters';
import { datedMedia } from './events/dated-media';
import { endedSessions } from './events/ended-sessions';
import { endedBatches, endedUploads } from './events/ended-workflows';
import { newDeliveries } from './events/new-deliveries';
import { newMedia } from './events/new-media';
import type { PollAccess } from './poll-access';
import type { TriggerEvent } from './trigger-event';
import { optionsOf, windowSettingsOf } from './trigger-options';

/** What the parameters of the trigger ask for. */
export async function openEvent(access: PollAccess): Promise<TriggerEvent> {
  const event: unknown = access.context.getNodeParameter('event');
  switch (event) {
    case 'deliveryFailed':
    case 'delivery':
      return openDeliveries(access, event);
    case 'batchEnded':
      return endedBatches(await access.service(), await access.temporal(), windowSettingsOf(access));
    case 'uploadEnded':
      return openUploads(access);
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
  const filters = filtersOf(access);
  const options = optionsOf(access.context);
  const chosen = event === 'deliveryFailed' ? ['FAILED'] : listField(filters['status'], 'Status');
  const status = DELIVERY_STATUSES.filter((one) => chosen?.includes(one));
  return newDeliveries(
    await access.service(),
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

async function openUploads(access: PollAccess): Promise<TriggerEvent> {
  const { context, signal } = access;
  const watch: unknown = context.getNodeParameter('watch');
  const service = await access.service();
  if (watch === 'temporal') {
    return endedUploads(service, await access.temporal(), windowSettingsOf(access));
  }
  const ids = listField(context.getNodeParameter('uploadIds'), 'Upload IDs') ?? [];
  return endedSessions(service, ids, signal);
}

async function openMedia(access: PollAccess): Promise<TriggerEvent> {
  const filter: MediaFilter = filterOf(filtersOf(access));
  const options = optionsOf(access.context);
  const idField = given({ idField: textField(options['idField'], 'ID Field') });
  const dateProperty = textField(options['dateProperty'], 'Date Property');
  const settings = windowSettingsOf(access);
  const service = await access.service();
  if (dateProperty !== undefined) return datedMedia(service, { filter, dateProperty, ...idField }, settings);
  if (settings.startAt !== undefined) {
    throw new ConfigurationError(
      'startFrom',
      'Without "Date Property" new media cannot be told by a date',
      'Let "Start From" be now, or name the property that holds the date of the media.',
    );
  }
  return newMedia(service, { filter, ...idField, limit: settings.mostFresh, signal: access.signal });
}

function filtersOf({ context }: PollAccess): Fields {
  return givenFields(context.getNodeParameter('filters', {}));
}
