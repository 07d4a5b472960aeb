import { accountId } from '../../../api/account/account-id';
import type { JsonObject } from '../../../api/json';
import type { Service } from '../../../api/service/service';
import { createDeliveryReader } from '../../../api/webhooks/delivery-fields';
import type { DeliveryFields } from '../../../api/webhooks/delivery-fields';
import type { DeliveryQuery, DeliveryStatus } from '../../../api/webhooks/delivery-query';
import { readDeliveryWindow } from '../../../api/webhooks/delivery-window';
import { given } from '../../MediaService/parameters';
import { shortId } from '../short-id';
import type { TriggerEvent } from '../trigger-event';
import { windowEvent } from '../window/window-event';
import type { WindowSettings } from '../window/window-event';
import type { WindowSource } from '../window/poll-window';

export interface NewDeliveries {
  readonly status?: readonly DeliveryStatus[];
  readonly mediaId?: string;
  readonly subAccountId?: string;
  readonly fields: DeliveryFields;
}

/** Webhook deliveries since the poll before. api.md, "GET {base_url}/api/webhook/search". */
export function newDeliveries(
  service: Service,
  { fields, ...filter }: NewDeliveries,
  settings: WindowSettings,
): TriggerEvent {
  const failedOnly = filter.status?.length === 1 && filter.status[0] === 'FAILED';
  return windowEvent(deliverySource(service, filter, fields), settings, {
    asks: {
      account: accountId(service.account),
      ...given({ ...filter, status: filter.status === undefined ? undefined : [...filter.status] }),
      id: fields.id ?? null,
    },
    kind: failedOnly ? 'failed deliveries' : 'deliveries',
  });
}

function deliverySource(
  service: Service,
  filter: Omit<DeliveryQuery, 'from' | 'to'>,
  fields: DeliveryFields,
): WindowSource<JsonObject> {
  const reader = createDeliveryReader(fields);
  return {
    async read({ from, to }, most, signal) {
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const read = await readDeliveryWindow(service, { ...filter, ...range }, { reader, most, signal });
      if (read === 'tooMany') return read;
      const { records, ...rest } = read;
      const found = [...records].map(([identity, value]) => ({
        id: shortId(identity),
        at: reader.sentAt(value),
        value,
      }));
      return { ...rest, found };
    },
  };
}
