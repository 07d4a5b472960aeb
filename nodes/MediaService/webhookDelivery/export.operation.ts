import type { INodeExecutionData } from 'n8n-workflow';
import { readAgainIfFewer } from '../../../api/pages/each-page';
import { exportDeliveries } from '../../../api/webhooks/delivery-export';
import { resolveQuery } from '../../../api/webhooks/delivery-query';
import { daysName } from '../../../reports/period/period';
import type { Operation } from '../operation';
import { collectionOf, field } from '../../../n8n/form-fields';
import { choiceField, fieldsOf, fileNameField, required, textField } from '../parameters';
import { DELIVERY_PARAMETERS, deliveryQueryOf } from './delivery-parameters';

const FORMATS = {
  CSV: { format: 'csv', mimeType: 'text/csv' },
  JSON: { format: 'json', mimeType: 'application/json' },
  JSONL: { format: 'jsonl', mimeType: 'application/x-ndjson' },
} as const;

/** Webhook Delivery > Export: one file per item. */
export const exportDeliveriesOperation: Operation = {
  option: {
    name: 'Export',
    value: 'export',
    description: 'Write the deliveries of a time range into one file',
    action: 'Export webhook deliveries',
  },
  parameters: [
    field('format', {
      type: 'options',
      default: 'CSV',
      options: [
        { name: 'CSV', value: 'CSV', description: "The service's own CSV, unchanged, with one header line" },
        { name: 'JSON', value: 'JSON', description: 'One array of all records' },
        { name: 'JSON Lines', value: 'JSONL', description: 'One record per line' },
      ],
    }),
    ...DELIVERY_PARAMETERS,
    field('binaryPropertyName', {
      displayName: 'Put Output File in Field',
      required: true,
      default: 'data',
      hint: 'The name of the output binary field to put the file in',
    }),
    collectionOf('Option', [
      field('fileName', {
        placeholder: 'e.g. failed-deliveries.csv',
        description: 'Name of the file. Empty: made from the period.',
      }),
    ]),
  ],

  async execute({ context, signal, service }, itemIndex) {
    const account = await service(itemIndex);
    const query = resolveQuery(deliveryQueryOf(context, itemIndex), account.clock.now());
    const chosen: unknown = context.getNodeParameter('format', itemIndex);
    const choice = required(choiceField(chosen, 'format', ['CSV', 'JSON', 'JSONL'] as const), 'format');
    const { format, mimeType } = FORMATS[choice];
    const fileName =
      fileNameField(fieldsOf(context, 'options', itemIndex)['fileName']) ??
      `webhook-deliveries-${daysName(query, context.getTimezone())}.${format}`;
    const seen = { pages: 0, records: 0 };
    const written = await readAgainIfFewer(async () => {
      const pieces: Buffer[] = [];
      const exported = exportDeliveries(account, query, {
        format,
        signal,
        onPage: ({ page, recordsSoFar }) => Object.assign(seen, { pages: page, records: recordsSoFar }),
      });
      for await (const piece of exported) pieces.push(Buffer.from(piece));
      return pieces;
    });
    const field =
      textField(context.getNodeParameter('binaryPropertyName', itemIndex), 'Output Field') ?? 'data';
    const file = await context.helpers.prepareBinaryData(Buffer.concat(written), fileName, mimeType);
    const item: INodeExecutionData = {
      json: { fileName, format, from: query.from, to: query.to, ...seen },
      binary: { [field]: file },
      pairedItem: { item: itemIndex },
    };
    return [item];
  },
};
