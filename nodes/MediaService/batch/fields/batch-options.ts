import type { INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import { given } from '../../../../api/json';
import type { BatchOptions } from '../../../../temporal/batch/types';
import { booleanField, numberField, textField } from '../../parameters';
import type { Fields } from '../../parameters';
import { EACH_UPLOAD_OPTIONS, REQUIRE_WORKER, uploadOptionsOf } from '../../upload/fields/upload-options';
import { CANCEL_WITH_EXECUTION } from './batch-wait';

const MEGABYTE = 1_000_000;
const LEAST_MEGABYTES = 0.1;

const OPTIONS: INodeProperties[] = [
  CANCEL_WITH_EXECUTION,
  REQUIRE_WORKER,
  {
    displayName: 'Bandwidth (MB/s)',
    name: 'megabytesPerSecond',
    type: 'number',
    typeOptions: { minValue: LEAST_MEGABYTES },
    default: 100,
    description:
      'Max megabytes per second of the batch on each worker. Without this option it is not limited.',
  },
  {
    displayName: 'Failed Rows Limit',
    name: 'maxFailures',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 100,
    description: 'Pause the batch when this many rows have failed; Batch > Resume continues',
  },
  {
    displayName: 'Failed Share Limit (%)',
    name: 'maxFailurePercent',
    type: 'number',
    typeOptions: { minValue: 0, maxValue: 100 },
    default: 10,
    description: 'Pause the batch when this share of the ended rows has failed, from the 20th ended row on',
  },
  {
    displayName: 'Same Failure Limit',
    name: 'maxSameFailures',
    type: 'number',
    typeOptions: { minValue: 0, maxValue: 500 },
    default: 10,
    description:
      'Pause the batch when this many rows have failed on one worker for the same reason and none was completed in between; 0 never pauses it',
  },
  {
    displayName: 'Small Files up to (MB)',
    name: 'smallFileMegabytes',
    type: 'number',
    typeOptions: { minValue: 0 },
    default: 64,
    description:
      'Files up to this size are uploaded by their page, which costs least. Each larger file gets a workflow of its own.',
  },
  {
    displayName: 'Manifest Format',
    name: 'format',
    type: 'options',
    default: 'csv',
    displayOptions: { show: { '/rowsFrom': ['manifest'] } },
    options: [
      { name: 'CSV', value: 'csv' },
      { name: 'JSON Lines', value: 'jsonl' },
    ],
    description: 'Without this option the extension of the manifest decides',
  },
  {
    displayName: 'Requester Pays',
    name: 'requesterPays',
    type: 'boolean',
    default: true,
    description: 'Whether to accept the charges for S3 objects in requester-pays buckets',
  },
  {
    displayName: 'Retry Failed Rows',
    name: 'retryFailed',
    type: 'boolean',
    default: true,
    description: 'Whether rows that failed in an earlier run of this batch are uploaded once more',
  },
  {
    displayName: 'Source Folder',
    name: 'sourceFolder',
    type: 'string',
    default: '',
    placeholder: 'e.g. /media/incoming',
    description:
      'Base folder on the workers for relative paths. Without this option: the folder of the manifest file.',
  },
  {
    displayName: 'Source Headers Secret',
    name: 'sourceHeaders',
    type: 'string',
    default: '',
    placeholder: 'e.g. cdn',
    description:
      'Name of the worker secret (MEDIA_SERVICE_SECRETS) with the headers for http sources and an http manifest',
  },
  {
    displayName: 'Upload Changed Files',
    name: 'uploadChanged',
    type: 'boolean',
    default: true,
    description:
      'Whether to upload a completed row again if its file has changed since. Without this option such a row fails.',
  },
  {
    displayName: 'Parallel Uploads',
    name: 'parallelUploads',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 2_000 },
    default: 256,
    description: 'How many uploads run at the same time, over all workers; large files count as four',
  },
];

export const BATCH_OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  // Without localeCompare, because its first use loads language tables while n8n starts.
  options: [...OPTIONS, ...EACH_UPLOAD_OPTIONS].sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
};

/** The batch options from the form. `host`: the machine of the paths. */
export function batchOptionsOf(fields: Fields, maxParts: number, host: string | undefined): BatchOptions {
  const percent = percentOf(fields);
  const smallMegabytes = numberField(fields['smallFileMegabytes'], 'Small Files up to (MB)');
  return {
    ...given({
      parallelUploads: numberField(fields['parallelUploads'], 'Parallel Uploads'),
      maxFailures: numberField(fields['maxFailures'], 'Failed Rows Limit'),
      maxFailureRate: percent === undefined ? undefined : percent / 100,
      maxSameFailures: numberField(fields['maxSameFailures'], 'Same Failure Limit'),
      smallFileBytes: smallMegabytes === undefined ? undefined : smallMegabytes * 1_000_000,
      bytesPerSecond: bytesPerSecondOf(fields),
      sourceHost: host,
      sourceFolder: textField(fields['sourceFolder'], 'Source Folder'),
      sourceSecret: textField(fields['sourceHeaders'], 'Source Headers Secret'),
      requesterPays: booleanField(fields['requesterPays'], 'Requester Pays'),
      uploadChanged: booleanField(fields['uploadChanged'], 'Upload Changed Files'),
    }),
    upload: { maxParts, ...uploadOptionsOf(fields) },
  };
}

function bytesPerSecondOf(fields: Fields): number | undefined {
  const name = 'Bandwidth (MB/s)';
  const megabytes = numberField(fields['megabytesPerSecond'], name);
  if (megabytes === undefined || megabytes >= LEAST_MEGABYTES)
    return megabytes === undefined ? undefined : Math.round(megabytes * MEGABYTE);
  throw new ValidationError(
    name,
    `"${name}" is ${megabytes}, but it must be ${LEAST_MEGABYTES} or more`,
    'Remove the option to use all available bandwidth.',
  );
}

function percentOf(fields: Fields): number | undefined {
  const name = 'Failed Share Limit (%)';
  const percent = numberField(fields['maxFailurePercent'], name);
  if (percent === undefined || (percent > 0 && percent <= 100)) return percent;
  throw new ValidationError(
    name,
    `"${name}" is ${percent}, but it must be above 0 and up to 100`,
    'Remove the option so that no share of failed rows pauses the batch.',
  );
}
