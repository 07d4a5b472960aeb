import { ValidationError } from '../../../api/errors';
import { guessFormat } from '../../../manifest/format';
import { sourceOf } from '../../../manifest/row-request';
import type { RowPlace } from '../../../manifest/row-request';
import type { ManifestInput } from '../../../temporal/contract/batch';
import { choiceField } from '../parameters';

/** The manifest that the form names; `format` wins over its extension. */
export function manifestSource(address: string, format: unknown, place: RowPlace): ManifestInput {
  const chosen = choiceField(format, 'Manifest Format', ['csv', 'jsonl'] as const) ?? guessFormat(address);
  if (chosen === undefined) {
    throw new ValidationError(
      'format',
      'The name of the manifest does not tell whether it is CSV or JSON lines',
      'Choose it in the option "Manifest Format", or give the manifest the extension .csv or .jsonl.',
    );
  }
  return { source: sourceOf(address, place), format: chosen };
}
