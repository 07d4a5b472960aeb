import type { ManifestInput } from '../../contract/batch';

/** How lists and the UI show a manifest: never with its folder or its query. */
export function labelOfManifest(manifest: ManifestInput): string {
  if ('rows' in manifest) return `${String(manifest.rows.length)} rows`;
  const { source } = manifest;
  if (source.kind === 'http') return source.label;
  const place = source.kind === 's3' ? source.key : source.path;
  return place.split(/[/\\]/).at(-1) ?? '';
}
