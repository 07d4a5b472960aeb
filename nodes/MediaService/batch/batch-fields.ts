import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { executionKeyOf } from '../node-execution';
import { collectionOf, field } from '../../../n8n/form-fields';
import { locatorField } from '../locator';
import { recordOf, textField } from '../parameters';
import { ROW_COLUMNS } from './columns';
import { namesIn } from '../../../api/options/option';
import { BATCH_OPTIONS as TABLE } from '../../../api/options/batch-options';
import { optionFields, optionValues } from '../option-fields';
import type { Fields } from '../parameters';
import { EACH_UPLOAD_OPTIONS, uploadOptionsOf } from '../upload/upload-fields';

/** The id of an existing batch. */
export const BATCH_ID = locatorField('batchId', 'batches', {
  placeholder: 'e.g. harbour-2026-11',
  description: 'ID of the batch, as Batch > Start returns it; or its workflow ID',
});

/** The id of a new batch. */
export const NEW_BATCH_ID = field('batchId', {
  placeholder: 'e.g. {{ $json.project }}-{{ $today.toISODate() }}',
  hint: 'Unique key, for example a date. The same ID joins the batch: what was uploaded stays, the rest continues.',
  description: 'Names the batch within its account: letters, digits, dots, underscores and hyphens',
});

/** The id from the form, or one that no other run of the node has. */
export function newBatchIdOf(context: IExecuteFunctions, itemIndex: number, isForAll: boolean): string {
  const batchId = textField(context.getNodeParameter('batchId', itemIndex, ''), 'batchId');
  if (batchId !== undefined) return batchId;
  const key = executionKeyOf(context, itemIndex).replace(/[^A-Za-z0-9._-]+/g, '-');
  return isForAll ? key : `${key}-${itemIndex}`;
}

/** What a batch uploads, and the folder of its results. */
export const START_PARAMETERS: INodeProperties[] = [
  field('rowsFrom', {
    type: 'options',
    noDataExpression: true,
    default: 'items',
    options: [
      {
        name: 'Input Items',
        value: 'items',
        description: 'All items of the input become rows of one batch; up to 1.5 MB of them',
      },
      {
        name: 'Manifest',
        value: 'manifest',
        description: 'A CSV or JSON lines file that the worker reads; any number of rows',
      },
    ],
  }),
  field('manifest', {
    required: true,
    placeholder: 'e.g. s3://ingest/harbour.csv',
    displayOptions: { show: { rowsFrom: ['manifest'] } },
    description:
      'Address of the manifest: a path on a worker, http(s), or s3://bucket/key. Its columns are source, title, fileType, tags.*, metadata, creator, resolution, duration, isLibrary and includeInReport, and one for the ID of the row.',
  }),
  { ...ROW_COLUMNS, displayOptions: { show: { rowsFrom: ['items'] } } },
  field('folder', {
    placeholder: 'e.g. s3://ingest/batches',
    hint: 'The batch results (results.csv, results.jsonl, failed.csv) are written to a folder below it, named after the batch',
    description:
      'Where workers keep batches: s3://bucket/prefix, or a path inside their MEDIA_SERVICE_OUTPUT_ROOTS. Empty: a folder of the worker that answers.',
  }),
  field('host', {
    placeholder: 'e.g. ingest-01',
    description:
      'Machine that all paths are on, by its MEDIA_SERVICE_HOST or host name. Empty: the machine of the worker that answers. *: every worker mounts them.',
  }),
];

/** Whether all items become rows of one batch. */
export function isFromItems(context: IExecuteFunctions): boolean {
  return context.getNodeParameter('rowsFrom', 0) !== 'manifest';
}

const LIMITS = ['maxSameFailures', 'maxFailures', 'maxFailureRate'] as const;
const NAMES = namesIn('n8n', TABLE).filter((name) => LIMITS.every((limit) => limit !== name));

const STOP_WHEN = field('stopWhen', {
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Limits',
  description:
    'Pauses the batch at one of these limits; Batch > Resume continues. Without this option only equal failures pause it.',
  options: [{ displayName: 'Limits', name: 'limits', values: optionFields(TABLE, LIMITS) }],
});

export const BATCH_OPTIONS = collectionOf('Option', [
  ...optionFields(TABLE, NAMES),
  ...EACH_UPLOAD_OPTIONS,
  STOP_WHEN,
]);

/** The batch options from the form, as the worker takes them. */
export function batchOptionsOf(fields: Fields): object {
  return {
    ...optionValues(fields, TABLE, NAMES),
    ...optionValues(recordOf(recordOf(fields['stopWhen'])['limits']), TABLE, LIMITS),
    upload: uploadOptionsOf(fields),
  };
}
