import { BATCH_OPTIONS as TABLE } from '../../../../api/options/batch-options';
import { optionFields, optionValues } from '../../option-fields';
import { collectionOf, field } from '../../../../n8n/form-fields';
import { recordOf } from '../../parameters';
import type { Fields } from '../../parameters';
import { EACH_UPLOAD_OPTIONS, uploadOptionsOf } from '../../upload/fields/upload-options';

const NAMES = ['parallelUploads', 'sourceFolder', 'sourceSecret', 'uploadChanged'];
const LIMITS = ['maxSameFailures', 'maxFailures', 'maxFailureRate'];

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
