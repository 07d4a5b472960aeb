import type { Resource } from '../operation';
import { exportDeliveriesOperation } from './export.operation';
import { getMany } from './getMany.operation';
import { report } from './report.operation';

export const webhookDeliveryResource: Resource = {
  option: { name: 'Webhook Delivery', value: 'webhookDelivery' },
  operations: [exportDeliveriesOperation, getMany, report],
};
