import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../api/json';

/** The version of this package, or empty if it is unknown. */
export function packageVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(manifestAbove(__dirname), 'utf8'));
    const version: unknown = isJsonObject(manifest) ? manifest['version'] : undefined;
    return typeof version === 'string' ? version : '';
  } catch {
    return '';
  }
}

/** Node's own `findPackageJSON` takes a tenth of the time of an empty process, which every command would pay. */
function manifestAbove(folder: string): string {
  const file = join(folder, 'package.json');
  return existsSync(file) || dirname(folder) === folder ? file : manifestAbove(dirname(folder));
}
