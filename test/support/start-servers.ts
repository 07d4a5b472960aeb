import { buildCommand } from './built-command';
import { startS3Server } from './s3-server';
import { announceServers } from './servers';
import { keepUntilTeardown } from './stop-servers';
import { startTemporalServer } from './temporal-server';
import { testWorkflowBundle } from './workflow-bundle';

/** Jest calls it once before the integration tests. The command is built, and so are the workflows. */
export default async function startServers(): Promise<void> {
  await buildCommand();
  await testWorkflowBundle();
  const s3 = await startS3Server();
  keepUntilTeardown(() => s3.stop());
  const temporal = await sharedTemporalServer();
  announceServers({ temporal, s3 });
}

/** Uses a developer's own server if there is one, which saves starting another. */
async function sharedTemporalServer(): Promise<{ address: string; namespace: string }> {
  const address = process.env['TEMPORAL_ADDRESS'];
  if (address !== undefined) return { address, namespace: process.env['TEMPORAL_NAMESPACE'] ?? 'default' };
  const server = await startTemporalServer();
  keepUntilTeardown(() => server.stop());
  return { address: server.address, namespace: server.namespace };
}
