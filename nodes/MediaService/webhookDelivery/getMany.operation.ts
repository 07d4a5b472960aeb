import { readAgainIfFewer } from '../../../api/pages/each-page';
import { eachDelivery } from '../../../api/webhooks/delivery-search';
import { itemOf } from '../output';
import type { Operation } from '../operation';
import { LIMIT, limitOf, RETURN_ALL } from '../parameters';
import { DELIVERY_PARAMETERS, deliveryQueryOf } from './delivery-parameters';

/** Webhook Delivery > Get Many: one item per record. */
export const getMany: Operation = {
  option: {
    name: 'Get Many',
    value: 'getMany',
    description: 'Get deliveries of a time range, one item each',
    action: 'Get many webhook deliveries',
  },
  parameters: [RETURN_ALL, LIMIT, ...DELIVERY_PARAMETERS],

  async execute({ context, signal, service }, itemIndex) {
    const query = deliveryQueryOf(context, itemIndex);
    const request = { signal, ...limitOf(context, itemIndex) };
    const used = await service(itemIndex);
    return readAgainIfFewer(async () => {
      const items = [];
      for await (const delivery of eachDelivery(used, query, request))
        items.push(itemOf(delivery, itemIndex));
      return items;
    });
  },
};
