/** The lock files must name no download host, because everyone installs from their own npm registry. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../folders.mjs';

for (const name of ['package-lock.json', 'test/e2e/package-lock.json']) {
  const { packages } = JSON.parse(await readFile(join(root, name), 'utf8'));
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
  for (const [path, { resolved }] of named) console.error(`${name}: ${path} names ${resolved}`);
  console.log(`${name}: ${Object.keys(packages).length} packages, ${named.length} name a host.`);
  if (named.length > 0) process.exitCode = 1;
}
