import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { livingWorkers } from '../../temporal/client/living-workers';
import { controlQueue, transferQueue } from '../../temporal/contract';
import { startTemporalServer } from '../support/temporal-server';
import type { TemporalServer } from '../support/temporal-server';
import { openUploadBed } from '../support/upload-bed';
import type { UploadBed } from '../support/upload-bed';

const PARTITIONS = 4;
const HOSTS = ['a', 'b', 'c', 'd', 'e'];

let server: TemporalServer;
let bed: UploadBed;
beforeAll(async () => {
  const dynamicConfig = ['Read', 'Write'].map(
    (kind) => `matching.numTaskqueue${kind}Partitions=${String(PARTITIONS)}`,
  );
  server = await startTemporalServer({ dynamicConfig });
  bed = await openUploadBed({ temporal: { address: server.address, namespace: server.namespace } });
});
afterAll(async () => {
  await bed.close();
  await server.stop();
});

it('each worker is counted once, on a server with several partitions and with worker versioning, too', async () => {
  for (const host of HOSTS) await bed.startWorker({ host });
  await bed.startWorker({ host: 'versioned', version: { buildId: '1' } });
  const control = controlQueue(bed.queuePrefix, bed.accountId);
  for (const queue of [control, transferQueue(bed.queuePrefix, bed.accountId)]) {
    const workers = await livingWorkers(bed.connection, { control, queue });
    expect(workers.map(({ host }) => host).sort()).toEqual([...HOSTS, 'versioned']);
  }
});
