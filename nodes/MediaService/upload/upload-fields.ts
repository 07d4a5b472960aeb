import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { collectionOf, field, switchField } from '../../../n8n/form-fields';
import { ValidationError } from '../../../api/errors';
import { executionKeyOf } from '../node-execution';
import { booleanField, fieldsOf, textField } from '../parameters';
import { namesIn } from '../../../api/options/option';
import { UPLOAD_OPTIONS as TABLE } from '../../../api/options/upload-options';
import type { UploadOptions } from '../../../api/options/upload-options';
import { optionFields, optionValues } from '../option-fields';
import type { Fields } from '../parameters';
import { fileTypeOf } from '../../../api/upload/file-type';
import type { UploadRequest } from '../../../api/upload/types';
import { given } from '../../../api/json';
import { mediaOf } from './media-fields';

/** Where an upload runs. Only the credential that is needed there is shown and required. */
export const RUN_IN = field('runIn', {
  type: 'options',
  noDataExpression: true,
  default: 'n8n',
  options: [
    { name: 'This Execution', value: 'n8n', description: 'Stopping the execution stops the upload' },
    {
      name: 'Worker',
      value: 'worker',
      description: 'The upload survives restarts, and can be paused; needs `media-service worker`',
    },
  ],
});

/** For operations that only exist on a worker: they need no other credential. */
export const ON_WORKER: INodeProperties = { ...RUN_IN, type: 'hidden', default: 'worker' };

const BY_WORKER = { show: { runIn: ['worker'] } };

const OF_ITEM = { name: 'Binary Data', value: 'binary', description: 'A file of the input item' };
const ELSEWHERE: INodePropertyOptions[] = [
  {
    ...{ name: 'Path', value: 'path', description: 'A file that the worker can read' },
    displayOptions: BY_WORKER,
  },
  { name: 'URL', value: 'url', description: 'A file behind http or https' },
];

/** Where the file of an upload is. A model can give no binary data. */
export const SOURCE_PARAMETERS: INodeProperties[] = [
  field('source', {
    ...{ type: 'options', default: 'binary', options: [OF_ITEM, ...ELSEWHERE] },
    displayOptions: { hide: { '@tool': [true] } },
  }),
  field('source', {
    ...{ type: 'options', default: 'url', options: ELSEWHERE },
    displayOptions: { show: { '@tool': [true] } },
  }),
  field('url', {
    required: true,
    placeholder: 'e.g. https://files.example.com/kitchen.mp4',
    displayOptions: { show: { source: ['url'] } },
    description: 'Address of the file. Pre-signed addresses are fine: workers store them only encrypted.',
  }),
  field('path', {
    required: true,
    placeholder: 'e.g. /media/incoming/kitchen.mp4',
    displayOptions: { show: { source: ['path'], ...BY_WORKER.show } },
    description: 'Path of the file as the worker sees it, inside its MEDIA_SERVICE_FILE_ROOTS',
  }),
  field('host', {
    placeholder: 'e.g. ingest-01',
    displayOptions: { show: { source: ['path'], ...BY_WORKER.show } },
    description:
      'Machine that the file is on, by its MEDIA_SERVICE_HOST or host name. Empty: the machine of the worker that answers. *: every worker mounts it at this path.',
  }),
  field('binaryPropertyName', {
    required: true,
    default: 'data',
    displayOptions: { show: { source: ['binary'] } },
    hint: 'The name of the input binary field containing the file to be uploaded',
    description: 'A worker gets a stored file from n8n, at the address in WEBHOOK_URL or N8N_HOST',
  }),
];

export const INGEST_KEY = field('ingestKey', {
  placeholder: 'e.g. {{ $json.orderId }}',
  hint: 'Unique key of the file, for example an order ID. Without one, a retry of the execution uploads the file again.',
  description:
    'The output is the media of an upload that has ended under this key. A worker also continues one that was cut off. Inside n8n it needs the ingest tag of the credential.',
});

/**
 * The key from the form, or undefined. An expression without a value is an error: every run would upload the file
 * again.
 */
export function ownKeyOf(context: IExecuteFunctions, itemIndex: number): string | undefined {
  const value: unknown = context.getNodeParameter('ingestKey', itemIndex, '');
  if (value !== undefined && value !== null) return textField(value, 'ingestKey');
  throw new ValidationError(
    'ingestKey',
    'The expression in "Ingest Key" returned no value',
    'Check what it reads. If the item may have no key, let it return an empty text: {{ … ?? "" }}.',
  );
}

const EACH_UPLOAD = namesIn('n8n', TABLE);

/** Options of single uploads and of the uploads of a batch. */
export const EACH_UPLOAD_OPTIONS = optionFields(TABLE, EACH_UPLOAD);

export const UPLOAD_OPTIONS = collectionOf('Option', [
  ...EACH_UPLOAD_OPTIONS,
  field('fileName', {
    placeholder: 'e.g. kitchen.mp4',
    description: 'With its extension, which sets the file type. Without this option the file keeps its name.',
  }),
  switchField('again', {
    description:
      'Whether to upload again what was uploaded before under the same ingest key. Otherwise the output is the media of that upload.',
  }),
  switchField('includeOtherFields', {
    description:
      "Whether to pass the input item's fields on. Those of the upload replace fields of the same name. Otherwise the output has the upload's fields only.",
  }),
]);

/** Whether a switch of the options is on. */
export function isOn(
  context: IExecuteFunctions,
  name: 'again' | 'includeOtherFields',
  itemIndex: number,
): boolean {
  return booleanField(fieldsOf(context, 'options', itemIndex)[name], name) ?? false;
}

export function uploadOptionsOf(fields: Fields): UploadOptions {
  return optionValues(fields, TABLE, EACH_UPLOAD);
}

/** One item's upload from the form, without its source, which may need to be handed over first. */
export function itemUpload(
  context: IExecuteFunctions,
  itemIndex: number,
  maxParts?: number,
): Omit<UploadRequest, 'source'> {
  return {
    ...mediaOf(context, itemIndex),
    // The item's own key, or one that no other item has.
    ingestKey: ownKeyOf(context, itemIndex) ?? `${executionKeyOf(context, itemIndex)}-${itemIndex}`,
    options: { ...given({ maxParts }), ...uploadOptionsOf(fieldsOf(context, 'options', itemIndex)) },
  };
}

/** What n8n itself knows about a file. */
export interface KnownFile {
  readonly fileName?: string;
  readonly mimeType?: string;
}

/** Guesses the file type if only n8n knows the name and MIME type, because a copy has another name. */
export function withFileType(
  media: UploadRequest['media'],
  { fileName, mimeType }: KnownFile,
): UploadRequest['media'] {
  if (media.fileType !== undefined || (fileName ?? mimeType) === undefined) return media;
  return { ...media, fileType: fileTypeOf({ fileName, mimeType }) };
}
