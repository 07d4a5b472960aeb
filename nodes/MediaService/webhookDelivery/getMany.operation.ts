import { given } from '../../../api/json';
import { readAgainIfFewer } from '../../../api/pages/each-page';
import { eachDelivery } from '../../../api/webhooks/delivery-search';
import { itemOf } from '../items';
import type { Operation } from '../operation';
import { fieldsOf, LIMIT, limitOf, numberField, RETURN_ALL } from '../parameters';
import { DELIVERY_PARAMETERS, deliveryQueryOf, PAGE_SIZE } from './delivery-parameters';

/** Webhook Delivery > Get Many: one item per record. */
export const getMany: Operation = {
  option: {
    name: 'Get Many',
    value: 'getMany',
    description: 'Get deliveries of a time range, one item each',
    action: 'Get many webhook deliveries',
  },
  parameters: [
    RETURN_ALL,
    LIMIT,
    ...DELIVERY_PARAMETERS,
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [PAGE_SIZE],
    },
  ],

  async execute({ context, signal, service }, itemIndex) {
    const query = deliveryQueryOf(context, itemIndex);
    const size = numberField(fieldsOf(context, 'options', itemIndex)['pageSize'], 'Page Size');
    const request = { signal, ...given({ size }), ...limitOf(context, itemIndex) };
    const used = await service(itemIndex);
    return readAgainIfFewer(async () => {
      const items = [];
      for await (const delivery of eachDelivery(used, query, request))
        items.push(itemOf(delivery, itemIndex));
      return items;
    });
  },
};
