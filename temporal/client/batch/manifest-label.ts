import { labelOfSource } from '../../../api/upload/sources/source-rules';
import type { ManifestInput } from '../../contract/batch';

/** How lists and the UI show a manifest: never with a folder, a query or a secret. */
export function labelOfManifest(manifest: ManifestInput): string {
  return 'rows' in manifest ? `${String(manifest.rows.length)} rows` : labelOfSource(manifest.source);
}
