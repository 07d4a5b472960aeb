import { readFile, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { secretsIn } from '../../support/canary';
import type { RunningN8n } from './start-n8n';

/**
 * Where n8n keeps one of the secrets: in a file of its folder (database, log, binary data, settings) or in its output.
 * Ignores the installed package. Only n8n's encryption of credentials may hide them.
 */
export async function secretsKept(n8n: RunningN8n, secrets: readonly string[]): Promise<string[]> {
  const found = secretsIn(n8n.process.log(), secrets).map((secret) => `the log: ${secret}`);
  const folder = join(n8n.userFolder, '.n8n');
  for (const path of await readdir(folder, { recursive: true })) {
    if (path.startsWith(`nodes${sep}`)) continue;
    const text = await readFile(join(folder, path), 'latin1').catch(() => '');
    found.push(...secretsIn(text, secrets).map((secret) => `${path}: ${secret}`));
  }
  return found;
}
