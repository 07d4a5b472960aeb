import { readFileSync } from 'node:fs';
import { isJsonObject } from '../../api/json';

/** The version of this package, or empty if it is unknown. */
export function packageVersion(): string {
  try {
    const manifest: unknown = JSON.parse(
      readFileSync(require.resolve('n8n-nodes-media-service/package.json'), 'utf8'),
    );
    const version: unknown = isJsonObject(manifest) ? manifest['version'] : undefined;
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}
