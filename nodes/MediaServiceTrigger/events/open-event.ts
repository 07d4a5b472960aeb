import { given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import type { MediaFilter } from '../../../api/media/media-filter';
import { ConfigurationError, ValidationError } from '../../../api/errors';
import { filterOf } from '../../MediaService/media/search.operation';
import { mediaJson } from '../../MediaService/media/simple-media';
import { booleanField, listField, recordOf, textField } from '../../MediaService/parameters';
import { statusesOf } from '../../MediaService/webhookDelivery/delivery-parameters';
import type { Fields } from '../../MediaService/parameters';
import { datedMedia } from './dated-media';
import { endedSessions } from './ended-sessions';
import { endedOnWorkers } from './ended-on-workers';
import { newDeliveries } from './new-deliveries';
import { newMedia } from './new-media';
import type { PollAccess } from '../poll-access';
import type { TriggerEvent } from './trigger-event';
import { optionsOf, pollSettingsOf } from '../trigger-options';

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
  const status = event === 'deliveryFailed' ? (['FAILED'] as const) : statusesOf(filters);
  return newDeliveries(
    await access.service(),
    {
      ...given({
        status,
        mediaId: textField(filters['mediaId'], 'Media'),
        subAccountId: textField(filters['subAccountId'], 'Sub-Account'),
      }),
      fields: given({
        id: textField(options['idField'], 'ID Field'),
        time: textField(options['timeField'], 'Time Field'),
      }),
    },
    pollSettingsOf(access),
  );
}

async function openUploads(access: PollAccess): Promise<TriggerEvent> {
  const { context, signal } = access;
  const watch: unknown = context.getNodeParameter('watch');
  if (watch === 'worker') return endedOnWorkers(await access.door(), 'uploads', pollSettingsOf(access));
  const ids = listField(context.getNodeParameter('uploadIds'), 'Upload IDs') ?? [];
  return endedSessions(await access.service(), ids, signal);
}

async function openMedia(access: PollAccess): Promise<TriggerEvent> {
  const filter: MediaFilter = filterOf(filtersOf(access));
  const options = optionsOf(access.context);
  const idField = given({ idField: textField(options['idField'], 'ID Field') });
  const dateProperty = textField(options['dateProperty'], 'Date Property');
  const settings = pollSettingsOf(access);
  const simplify = booleanField(access.context.getNodeParameter('simplify', true), 'Simplify') ?? true;
  const wanted = { filter, ...idField, present: (media: JsonObject) => mediaJson(media, simplify) };
  const service = await access.service();
  if (dateProperty !== undefined) return datedMedia(service, { ...wanted, dateProperty }, settings);
  if (settings.startAt !== undefined) {
    throw new ConfigurationError(
      'startFrom',
      '"Start From" needs "Date Property" to find new media by their date',
      'Set "Start From" to now, or enter the property that holds the date of the media.',
    );
  }
  return newMedia(service, { ...wanted, limit: settings.maxNewItems, signal: access.signal });
}

function filtersOf({ context }: PollAccess): Fields {
  return recordOf(context.getNodeParameter('filters', {}));
}
