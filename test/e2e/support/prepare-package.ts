import { join } from 'node:path';
import { installAsN8nDoes } from '../../support/install-as-n8n';
import { pack, unpack } from '../../support/pack';
import startServers from '../../support/start-servers';
import { keepUntilTeardown } from '../../support/stop-servers';
import { NAME, VARIABLE } from './n8n-package';

/**
 * Jest calls it once before the tests of a project that starts n8n. Packs the project and installs the tarball, for every
 * n8n of the run.
 */
export default async function preparePackage(): Promise<void> {
  await startServers();
  const packed = await pack(NAME);
  keepUntilTeardown(() => packed.dir.remove());
  const folder = join(packed.dir.path, 'nodes', 'node_modules', NAME);
  await unpack(packed.tarball, folder);
  await installAsN8nDoes(folder);
  process.env[VARIABLE] = folder;
}
