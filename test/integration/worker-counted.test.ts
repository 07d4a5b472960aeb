import { livingWorkers } from '../../temporal/client/living-workers';
import { controlQueue, transferQueue } from '../../temporal/upload/types';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { openUploadFixture } from '../support/upload-fixture';
import type { UploadFixture } from '../support/upload-fixture';

const PARTITIONS = 4;
const HOSTS = ['a', 'b'];

let server: TemporalServer;
let fixture: UploadFixture;
beforeAll(async () => {
  const dynamicConfig = ['Read', 'Write'].map(
    (kind) => `matching.numTaskqueue${kind}Partitions=${String(PARTITIONS)}`,
  );
  server = await startTemporalServer({ dynamicConfig });
  fixture = await openUploadFixture({ temporal: { address: server.address, namespace: server.namespace } });
});
afterAll(async () => {
  await fixture.close();
  await server.stop();
});

it('each worker is counted once, even on a server with several partitions or with worker versioning', async () => {
  const version = { deploymentName: 'media-service', buildId: '1' };
  await Promise.all([
    ...HOSTS.map((host) => fixture.startWorker({ host })),
    fixture.startWorker({ host: 'versioned', version }),
  ]);
  const control = controlQueue(fixture.queuePrefix, fixture.accountId);
  for (const queue of [control, transferQueue(fixture.queuePrefix, fixture.accountId)]) {
    const workers = await livingWorkers(fixture.connection, queue);
    expect(workers.map(({ host }) => host).sort()).toEqual([...HOSTS, 'versioned']);
  }
});
