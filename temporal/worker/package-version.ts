import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { isJsonObject } from '../../api/json';

/** The version of this package, or empty if it is unknown. */
export function packageVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(findPackageJSON('.', __filename) ?? '', 'utf8'));
    const version: unknown = isJsonObject(manifest) ? manifest['version'] : undefined;
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}
