import { accountId } from '../../../api/account';
import { MediaServiceError } from '../../../api/errors';
import { given } from '../../../api/json';
import type { JsonObject } from '../../../api/json';
import { MAX_PAGE_SIZE, readAgainIfFewer } from '../../../api/pages/each-page';
import type { Service } from '../../../api/service/service';
import { createDeliveryReader } from '../../../api/webhooks/delivery-fields';
import type { DeliveryFields, DeliveryReader } from '../../../api/webhooks/delivery-fields';
import type { DeliveryQuery } from '../../../api/webhooks/delivery-query';
import { eachDeliveryPage } from '../../../api/webhooks/delivery-search';
import { readMoment } from '../../../api/when';
import { shortId } from '../poll/cursor';
import { periodEvent } from '../poll/period-event';
import type { PollSettings, TriggerEvent } from '../poll/period-event';
import type { PeriodSource } from '../poll/poll-period';

interface NewDeliveries extends Omit<DeliveryQuery, 'from' | 'to'> {
  readonly fields: DeliveryFields;
}

/** Webhook deliveries since the previous poll. api.md, "GET {base_url}/api/webhook/search". */
export function newDeliveries(
  service: Service,
  { fields, ...filter }: NewDeliveries,
  settings: PollSettings,
): TriggerEvent {
  return periodEvent(deliverySource(service, filter, fields), settings, {
    account: accountId(service.account),
    ...given({ ...filter, status: filter.status === undefined ? undefined : [...filter.status] }),
    id: fields.id ?? null,
  });
}

function deliverySource(
  service: Service,
  filter: Omit<DeliveryQuery, 'from' | 'to'>,
  fields: DeliveryFields,
): PeriodSource<JsonObject> {
  const reader = createDeliveryReader(fields);
  return {
    read({ from, to }, maxItems, signal) {
      const query = { ...filter, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      let serviceNow: number | undefined;
      const dated: Service = {
        ...service,
        async call(call) {
          const answer = await service.call(call);
          serviceNow ??= readMoment(answer.headers['date']);
          return answer;
        },
      };
      return readAgainIfFewer(async () => {
        const records = new Map<string, JsonObject>();
        for await (const page of eachDeliveryPage(dated, query, { size: MAX_PAGE_SIZE, signal })) {
          for (const record of page.items) records.set(shortId(reader.identity(record)), record);
          if (Math.max(records.size, page.totalElements ?? 0) > maxItems) return 'tooMany';
        }
        refuseMissing(fields, [...records.values()], reader);
        const found = [...records].map(([id, value]) => ({ id, at: reader.sentAt(value), value }));
        return { found, ...given({ serviceNow }) };
      });
    },
  };
}

/** If no delivery has the field, its name is mistyped. Without its id, a changed delivery would count as new. */
function refuseMissing(
  { id }: DeliveryFields,
  deliveries: readonly JsonObject[],
  reader: Pick<DeliveryReader, 'has'>,
): void {
  const [first] = deliveries;
  if (first === undefined || id === undefined || deliveries.some((one) => reader.has(one, 'id'))) return;
  throw new MediaServiceError('UnreadableAnswer', `None of the deliveries has a field "${id}"`, {
    hint: `Name another field in the option "ID Field", or leave it empty. The fields are: ${Object.keys(first).join(', ').slice(0, 300)}.`,
  });
}
