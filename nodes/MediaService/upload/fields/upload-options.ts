import type { INodeProperties } from 'n8n-workflow';
import { given } from '../../../../api/json';
import type { UploadOptions } from '../../../../api/upload/request/upload-request';
import { ValidationError } from '../../../../api/errors';
import { booleanField, numberField, textField } from '../../parameters';
import type { Fields } from '../../parameters';
import { INGEST_KEY } from './ingest-key';
import { OPTION_BY_WORKER } from './run-in';
import { HOUR_MS } from '../../../../api/clock';

const MEGABYTE = 1_000_000;
const PART_MEGABYTES = { min: 5, max: 600 } as const;

/** For Upload > Upload and Batch > Start. */
export const REQUIRE_WORKER: INodeProperties = {
  displayName: 'Require Worker',
  name: 'requireWorker',
  type: 'boolean',
  default: true,
  description:
    'Whether to fail before anything starts if no Temporal worker can do the work. Otherwise, the upload or batch starts and waits for a worker.',
};

const CANCEL = 'Cancel Upload When Execution Is Canceled';

/** For operations that wait for an upload. */
export const CANCEL_UPLOAD: INodeProperties = {
  displayName: CANCEL,
  name: 'cancelWithExecution',
  type: 'boolean',
  default: true,
  description: 'Whether to cancel an upload that the execution waits for. Without this option it continues.',
};

export const UPLOAD_OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [
    {
      displayName: 'Accept Any Content',
      name: 'acceptAnyContent',
      type: 'boolean',
      default: true,
      description:
        'Whether to upload a file even if its Content-Type or first bytes contradict its file type',
    },
    { ...CANCEL_UPLOAD, displayOptions: OPTION_BY_WORKER },
    {
      displayName: 'File Name',
      name: 'fileName',
      type: 'string',
      default: '',
      placeholder: 'e.g. kitchen.mp4',
      description:
        'With its extension, which sets the file type. Without this option the file keeps its name.',
    },
    {
      displayName: 'Force New Upload',
      name: 'again',
      type: 'boolean',
      default: true,
      description: 'Whether to upload again what was uploaded before under the same ingest key',
    },
    INGEST_KEY,
    {
      displayName: 'Parallel Parts',
      name: 'concurrency',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: 16 },
      default: 4,
      description: 'How many parts of the file are sent at the same time',
    },
    {
      displayName: 'Preferred Part Size (MB)',
      name: 'partSizeMb',
      type: 'number',
      typeOptions: { minValue: PART_MEGABYTES.min, maxValue: PART_MEGABYTES.max },
      default: 50,
      description: 'Without this option, the part size depends on the size of the file',
    },
    {
      displayName: 'Processing Timeout (Hours)',
      name: 'processingHours',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 24,
      description: 'How long to wait for the service to finish processing after the last part',
    },
    { ...REQUIRE_WORKER, displayOptions: OPTION_BY_WORKER },
    {
      displayName: 'Restart if URLs Expire',
      name: 'restartOnExpiry',
      type: 'boolean',
      default: true,
      description:
        'Whether to start one new session if upload URLs expire and no more can be asked for. The old session stays, and the output names it.',
    },
    {
      displayName: 'Verify Checksums',
      name: 'verifyMd5',
      type: 'boolean',
      default: true,
      description: "Whether to compare the MD5 of every part with the storage's answer",
    },
    {
      displayName: 'Workflow ID',
      name: 'workflowId',
      type: 'string',
      default: '',
      placeholder: 'e.g. upload/order-4711',
      displayOptions: OPTION_BY_WORKER,
      description: 'Temporal workflow ID. Empty: made from the account and the ingest key.',
    },
  ],
};

/** The options of single uploads that also apply to the uploads of a batch. */
export const EACH_UPLOAD_OPTIONS = (UPLOAD_OPTIONS.options ?? []).filter(
  (option): option is INodeProperties =>
    [
      'acceptAnyContent',
      'concurrency',
      'partSizeMb',
      'processingHours',
      'restartOnExpiry',
      'verifyMd5',
    ].includes(option.name),
);

/** What this node does with the upload besides sending it. False if unset. */
export function choicesOf(fields: Fields): {
  readonly again: boolean;
  readonly cancelWithExecution: boolean;
  readonly requireWorker: boolean;
} {
  const isChosen = (name: string, label: string): boolean => booleanField(fields[name], label) ?? false;
  return {
    again: isChosen('again', 'Force New Upload'),
    cancelWithExecution: isChosen('cancelWithExecution', CANCEL),
    requireWorker: isChosen('requireWorker', 'Require Worker'),
  };
}

/** The file name from the form. Undefined: the file keeps its own name. */
export function fileNameOf(fields: Fields): string | undefined {
  const name = textField(fields['fileName'], 'File Name');
  if (name === undefined || !/[\\/]/.test(name)) return name;
  throw new ValidationError('fileName', '"File Name" can\'t contain a folder', 'Give only the name.');
}

export function uploadOptionsOf(fields: Fields): UploadOptions {
  const megabytes = partMegabytesOf(fields);
  const hours = numberField(fields['processingHours'], 'Processing Timeout (Hours)');
  return given({
    partBytes: megabytes === undefined ? undefined : Math.round(megabytes * MEGABYTE),
    concurrency: numberField(fields['concurrency'], 'Parallel Parts'),
    processingLimitMs: hours === undefined ? undefined : Math.round(hours * HOUR_MS),
    restartOnExpiry: booleanField(fields['restartOnExpiry'], 'Restart if URLs Expire'),
    acceptAnyContent: booleanField(fields['acceptAnyContent'], 'Accept Any Content'),
    verifyMd5: booleanField(fields['verifyMd5'], 'Verify Checksums'),
  });
}

/** An expression may give a number that the form's field does not take. */
function partMegabytesOf(fields: Fields): number | undefined {
  const name = 'Preferred Part Size (MB)';
  const megabytes = numberField(fields['partSizeMb'], name);
  const { min, max } = PART_MEGABYTES;
  if (megabytes === undefined || (megabytes >= min && megabytes <= max)) return megabytes;
  throw new ValidationError(
    name,
    `"${name}" is ${megabytes}: it must be from ${min} to ${max}`,
    'Remove the option to let the size of the file decide.',
  );
}
