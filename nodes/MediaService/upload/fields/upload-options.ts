import type { INodeProperties } from 'n8n-workflow';
import { UPLOAD_OPTIONS as TABLE } from '../../../../api/options/upload-options';
import type { UploadOptions } from '../../../../api/options/upload-options';
import { optionFields, optionValues } from '../../option-fields';
import { booleanField } from '../../parameters';
import type { Fields } from '../../parameters';

const EACH_UPLOAD = ['acceptAnyContent', 'verifyMd5'];

/** Options of single uploads and of the uploads of a batch. */
export const EACH_UPLOAD_OPTIONS = optionFields(TABLE, EACH_UPLOAD);

const INCLUDE_OTHER_FIELDS = 'Include Other Input Fields';

/** Without localeCompare, because its first use loads language tables while n8n starts. */
export function collectionOf(options: INodeProperties[]): INodeProperties {
  return {
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    placeholder: 'Add Option',
    default: {},
    options: options.sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
  };
}

export const UPLOAD_OPTIONS = collectionOf([
  ...EACH_UPLOAD_OPTIONS,
  {
    displayName: 'File Name',
    name: 'fileName',
    type: 'string',
    default: '',
    placeholder: 'e.g. kitchen.mp4',
    description: 'With its extension, which sets the file type. Without this option the file keeps its name.',
  },
  {
    displayName: 'Force New Upload',
    name: 'again',
    type: 'boolean',
    default: false,
    description:
      'Whether to upload again what was uploaded before under the same ingest key. Otherwise the output is the media of that upload.',
  },
  {
    displayName: INCLUDE_OTHER_FIELDS,
    name: 'includeOtherFields',
    type: 'boolean',
    default: false,
    description:
      "Whether to pass the input item's fields on. Those of the upload replace fields of the same name. Otherwise the output has the upload's fields only.",
  },
]);

/** What this node does besides sending the file. False if unset. */
export function choicesOf(fields: Fields): { readonly again: boolean; readonly includeOtherFields: boolean } {
  return {
    again: booleanField(fields['again'], 'Force New Upload') ?? false,
    includeOtherFields: booleanField(fields['includeOtherFields'], INCLUDE_OTHER_FIELDS) ?? false,
  };
}

export function uploadOptionsOf(fields: Fields): UploadOptions {
  return optionValues(fields, TABLE, EACH_UPLOAD);
}
