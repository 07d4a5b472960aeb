import { UPLOAD_OPTIONS as TABLE } from '../../../../api/options/upload-options';
import type { UploadOptions } from '../../../../api/options/upload-options';
import { optionFields, optionValues } from '../../option-fields';
import { collectionOf, field, switchField } from '../../../../n8n/form-fields';
import { booleanField } from '../../parameters';
import type { Fields } from '../../parameters';

const EACH_UPLOAD = ['acceptAnyContent', 'verifyMd5'];

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

/** What this node does besides sending the file. False if unset. */
export function choicesOf(fields: Fields): { readonly again: boolean; readonly includeOtherFields: boolean } {
  return {
    again: booleanField(fields['again'], 'again') ?? false,
    includeOtherFields: booleanField(fields['includeOtherFields'], 'includeOtherFields') ?? false,
  };
}

export function uploadOptionsOf(fields: Fields): UploadOptions {
  return optionValues(fields, TABLE, EACH_UPLOAD);
}
