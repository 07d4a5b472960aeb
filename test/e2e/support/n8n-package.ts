import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const NAME = 'n8n-nodes-media-service';
/** Jest passes only environment variables on to test files. */
export const VARIABLE = 'MEDIA_SERVICE_E2E_PACKAGE';

/** Installs the package where an n8n with this user folder looks for community packages. */
export async function putPackageInto(userFolder: string): Promise<void> {
  const prepared = process.env[VARIABLE];
  if (prepared === undefined) throw new Error('The package is made by globalSetup of the n8n projects.');
  const nodes = join(userFolder, '.n8n', 'nodes');
  await mkdir(join(nodes, 'node_modules'), { recursive: true });
  await cp(prepared, join(nodes, 'node_modules', NAME), { recursive: true });
  const manifest = { name: 'installed-nodes', private: true, dependencies: { [NAME]: '*' } };
  await writeFile(join(nodes, 'package.json'), JSON.stringify(manifest));
}
