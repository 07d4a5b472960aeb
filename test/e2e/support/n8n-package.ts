import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installAsN8nDoes } from '../../support/install-as-n8n';
import { pack, unpack } from '../../support/pack';
import type { Packed } from '../../support/pack';

const NAME = 'n8n-nodes-media-service';
/** Jest passes only environment variables on to test files. */
const VARIABLE = 'MEDIA_SERVICE_E2E_PACKAGE';

/** Packs the project and installs the tarball once, for every n8n of a run. The caller removes `dir`. */
export async function preparePackage(): Promise<Packed> {
  const packed = await pack('n8n-nodes-media-service');
  const folder = join(packed.dir.path, 'nodes', 'node_modules', NAME);
  await unpack(packed.tarball, folder);
  await installAsN8nDoes(folder);
  process.env[VARIABLE] = folder;
  return packed;
}

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
