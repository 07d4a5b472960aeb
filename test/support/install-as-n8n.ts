import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { npm } from './pack';

const LEFT_OUT = ['devDependencies', 'peerDependencies', 'optionalDependencies'];

/**
 * Installs an unpacked package as n8n does with community packages: it keeps only `dependencies`, and npm installs them
 * into the package's own folder.
 */
export async function installAsN8nDoes(folder: string): Promise<void> {
  const path = join(folder, 'package.json');
  const whole = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  const kept = Object.entries(whole).filter(([name]) => !LEFT_OUT.includes(name));
  await writeFile(path, JSON.stringify(Object.fromEntries(kept), null, 2));
  const flags = ['--audit=false', '--fund=false', '--bin-links=false', '--install-strategy=shallow'];
  await npm(['install', ...flags, '--ignore-scripts=true', '--package-lock=false'], folder);
}
