import type { INodeExecutionData } from 'n8n-workflow';
import { ValidationError } from '../../../api/errors';
import { readAgainIfFewer } from '../../../api/pages/each-page';
import { given } from '../../../api/json';
import { exportDeliveries } from '../../../api/webhooks/delivery-export';
import { resolveQuery } from '../../../api/webhooks/delivery-query';
import type { ResolvedDeliveryQuery } from '../../../api/webhooks/delivery-query';
import { daysName } from '../../../reports/period/days-name';
import type { Operation } from '../operation';
import { choiceField, fieldsOf, numberField, required, textField } from '../parameters';
import { DELIVERY_PARAMETERS, deliveryQueryOf, PAGE_SIZE } from './delivery-parameters';

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
    {
      displayName: 'Format',
      name: 'format',
      type: 'options',
      default: 'CSV',
      options: [
        { name: 'CSV', value: 'CSV', description: "The service's own CSV, unchanged, with one header line" },
        { name: 'JSON', value: 'JSON', description: 'One array of all records' },
        { name: 'JSON Lines', value: 'JSONL', description: 'One record per line' },
      ],
    },
    ...DELIVERY_PARAMETERS,
    {
      displayName: 'Put Output File in Field',
      name: 'binaryPropertyName',
      type: 'string',
      required: true,
      default: 'data',
      hint: 'The name of the output binary field to put the file in',
    },
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [
        {
          displayName: 'File Name',
          name: 'fileName',
          type: 'string',
          default: '',
          placeholder: 'e.g. failed-deliveries.csv',
          description: 'Name of the file. Empty: made from the period.',
        },
        PAGE_SIZE,
      ],
    },
  ],

  async execute({ context, signal, service }, itemIndex) {
    const account = await service(itemIndex);
    const query = resolveQuery(deliveryQueryOf(context, itemIndex), account.clock.now());
    const options = fieldsOf(context, 'options', itemIndex);
    const choice = choiceField(context.getNodeParameter('format', itemIndex), 'Format', [
      'CSV',
      'JSON',
      'JSONL',
    ]);
    const { format, mimeType } = FORMATS[required(choice, 'Format')];
    const fileName =
      fileNameOf(options['fileName']) ??
      defaultFileName(query, { zone: context.getTimezone(), extension: format });
    const seen = { pages: 0, records: 0 };
    const written = await readAgainIfFewer(async () => {
      const pieces: Buffer[] = [];
      const exported = exportDeliveries(account, query, {
        format,
        signal,
        ...given({ size: numberField(options['pageSize'], 'Page Size') }),
        onPage: ({ page, recordsSoFar }) => Object.assign(seen, { pages: page, records: recordsSoFar }),
      });
      for await (const piece of exported) pieces.push(Buffer.from(piece));
      return pieces;
    });
    const binary = await context.helpers.prepareBinaryData(Buffer.concat(written), fileName, mimeType);
    const { pages, records } = seen;
    const item: INodeExecutionData = {
      json: { fileName, format, from: query.from, to: query.to, records, pages },
      binary: {
        [textField(context.getNodeParameter('binaryPropertyName', itemIndex), 'Put Output File in Field') ??
        'data']: binary,
      },
      pairedItem: { item: itemIndex },
    };
    return [item];
  },
};

/** A file name without a folder, because the next node may use it to write a file. */
function fileNameOf(value: unknown): string | undefined {
  const name = textField(value, 'File Name');
  if (name === undefined || !/[/\\]/.test(name)) return name;
  throw new ValidationError(
    'File Name',
    '"File Name" can\'t contain a folder',
    'Enter the name only; the node that writes the file chooses the folder.',
  );
}

function defaultFileName(query: ResolvedDeliveryQuery, { zone, extension }: DefaultName): string {
  return `webhook-deliveries-${daysName(query, zone)}.${extension}`;
}

interface DefaultName {
  readonly zone: string;
  readonly extension: string;
}
