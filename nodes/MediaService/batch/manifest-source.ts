import { ValidationError } from '../../../api/errors';
import type { SourceDescriptor } from '../../../api/upload/sources/source';
import { pathOfSource } from '../../../api/upload/sources/source-rules';
import { guessFormat } from '../../../manifest/format';
import { sourceOf } from '../../../manifest/row-request';
import type { RowContext } from '../../../manifest/row-request';
import type { ManifestInput } from '../../../temporal/batch/types';
import { describeError } from '../../../n8n/error-words';

/** The manifest from the form. Its extension says its format. */
export function manifestSource(address: string, rowContext: RowContext): ManifestInput {
  const format = guessFormat(address);
  if (format === undefined) {
    throw new ValidationError(
      'manifest',
      "The name of the manifest doesn't show whether it is CSV or JSON lines",
      'Give the manifest the extension .csv or .jsonl.',
    );
  }
  return { source: manifestAddress(address, rowContext), format };
}

function manifestAddress(address: string, rowContext: RowContext): SourceDescriptor {
  let refused: ValidationError;
  try {
    return sourceOf(address, rowContext);
  } catch (error) {
    const { message, description } = describeError(error);
    refused = new ValidationError('manifest', `"Manifest": ${message}`, description);
  }
  throw refused;
}

/** The default folder for relative paths of rows: the folder of a manifest that is a file. */
export function folderOfManifest(manifest: ManifestInput): string | undefined {
  const path = 'rows' in manifest ? undefined : pathOfSource(manifest.source);
  const folder = path?.replace(/[\\/][^\\/]*$/, '');
  return folder === '' ? '/' : folder;
}
