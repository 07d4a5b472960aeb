/** Lets Temporal's SDK download its CLI in the given version, into the given folder. A separate process, so that it can be stopped. */
import { mkdir } from 'node:fs/promises';
import testing from '@temporalio/testing';

const [downloadDir, version] = process.argv.slice(2);
await mkdir(downloadDir, { recursive: true });
const environment = await testing.TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir, version, ttl: '365 days' }, ip: '127.0.0.1' },
});
await environment.teardown();
