import startServers from '../../support/start-servers';
import { keepUntilTeardown } from '../../support/stop-servers';
import { preparePackage } from './n8n-package';

/** Jest calls it once before the tests of a project that starts n8n. */
export default async function preparePackageForAll(): Promise<void> {
  await startServers();
  const packed = await preparePackage();
  keepUntilTeardown(() => packed.dir.remove());
}
