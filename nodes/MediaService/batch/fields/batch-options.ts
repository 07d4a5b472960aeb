import type { INodeProperties } from 'n8n-workflow';
import { ValidationError } from '../../../../api/errors';
import { given, isRecord } from '../../../../api/json';
import { booleanField, numberField, textField } from '../../parameters';
import type { Fields } from '../../parameters';
import { EACH_UPLOAD_OPTIONS, uploadOptionsOf } from '../../upload/fields/upload-options';

const OPTIONS: INodeProperties[] = [
  {
    displayName: 'Parallel Uploads',
    name: 'parallelUploads',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 2_000 },
    default: 256,
    description: 'How many uploads run at the same time, over all workers; large files count as four',
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
    displayName: 'Stop When',
    name: 'stopWhen',
    type: 'fixedCollection',
    default: {},
    placeholder: 'Add Limits',
    description:
      'Pauses the batch at one of these limits; Batch > Resume continues. Without this option only equal failures pause it.',
    options: [
      {
        displayName: 'Limits',
        name: 'limits',
        values: [
          {
            displayName: 'Equal Failures in a Row',
            name: 'maxSameFailures',
            type: 'number',
            typeOptions: { minValue: 0, maxValue: 500 },
            default: 10,
            description: 'Rows that failed for the same reason, with none completed in between; 0: no limit',
          },
          {
            displayName: 'Failed Rows',
            name: 'maxFailures',
            type: 'number',
            typeOptions: { minValue: 0 },
            default: 0,
            description: 'Rows that failed; 0: no limit',
          },
          {
            displayName: 'Failed Share (%)',
            name: 'maxFailurePercent',
            type: 'number',
            typeOptions: { minValue: 0, maxValue: 100 },
            default: 0,
            description: 'Share of the ended rows that failed, from the 20th ended row on; 0: no limit',
          },
        ],
      },
    ],
  },
  {
    displayName: 'Upload Changed Files',
    name: 'uploadChanged',
    type: 'boolean',
    default: false,
    description:
      'Whether to upload a completed row again if its file has changed since. Otherwise such a row fails.',
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

/** The batch options from the form, as the worker takes them. */
export function batchOptionsOf(fields: Fields): object {
  return {
    ...given({
      parallelUploads: numberField(fields['parallelUploads'], 'Parallel Uploads'),
      sourceFolder: textField(fields['sourceFolder'], 'Source Folder'),
      sourceSecret: textField(fields['sourceHeaders'], 'Source Headers Secret'),
      uploadChanged: booleanField(fields['uploadChanged'], 'Upload Changed Files'),
    }),
    ...limitsOf(fields['stopWhen']),
    upload: uploadOptionsOf(fields),
  };
}

function limitsOf(stopWhen: unknown): object {
  const limits = isRecord(stopWhen) && isRecord(stopWhen['limits']) ? stopWhen['limits'] : {};
  const rows = numberField(limits['maxFailures'], 'Failed Rows');
  const percent = numberField(limits['maxFailurePercent'], 'Failed Share (%)');
  if (percent !== undefined && (percent < 0 || percent > 100)) {
    throw new ValidationError(
      'maxFailurePercent',
      `"Failed Share (%)" is ${percent}, but it must be from 0 to 100`,
      'Use 0 for no limit.',
    );
  }
  return given({
    maxSameFailures: numberField(limits['maxSameFailures'], 'Equal Failures in a Row'),
    maxFailures: rows === 0 ? undefined : rows,
    maxFailureRate: percent === undefined || percent === 0 ? undefined : percent / 100,
  });
}
