import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NativeConnection } from '@temporalio/worker';
import { transferQueue } from '../../temporal/contract';
import { connectWorker } from '../../temporal/worker/connect-worker';
import { installLogger } from '../../temporal/worker/json-log';
import { limitFairnessKeys } from '../../temporal/worker/queue-rate-limits';
import { HELD, useUploadBed } from '../support/upload-bed';
import { sharedTemporal } from '../support/servers';

const on = useUploadBed({ worker: false });
let connection: NativeConnection;
beforeAll(async () => {
  installLogger('error', () => undefined);
  connection = await connectWorker(sharedTemporal());
});
afterAll(() => connection.close());

/** A logger that keeps what it is told. */
function keptLog(): { readonly lines: string[]; readonly logger: Parameters<typeof limitFairnessKeys>[2] } {
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const logger = { log: note, trace: note, debug: note, info: note, warn: note, error: note };
  return { lines, logger };
}

describe('limits of an account', () => {
  it('let parts begin as often as it says, over all workers', async () => {
    const { bed } = on;
    const [served] = bed.config.accounts;
    if (served === undefined) throw new Error('The bed has no account.');
    const accounts = [{ ...served, limits: { partsPerSecond: 2, callsPerSecond: 50 } }];
    const stop = await bed.startWorker({ accounts });
    const file = await bed.writeFile('limited.mp4', 6);
    const handle = await bed.start(file.path, { options: { concurrency: 6 } });
    await handle.result();
    const { events } = await bed.connection.client.workflow.getHandle(handle.workflowId).fetchHistory();
    const begun = (events ?? [])
      .filter(({ activityTaskStartedEventAttributes: started }) => started != null)
      .map(({ eventTime }) => Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6);
    const span = Math.max(...begun) - Math.min(...begun);
    // Six parts at two a second, the first ones at once.
    expect(span).toBeGreaterThan(1_500);
    await stop();
  });

  it('are told to a server that knows limits of fairness keys, and taken away again', async () => {
    const queue = transferQueue(`test-${randomBytes(4).toString('hex')}`, 'acme');
    const { namespace } = sharedTemporal();
    const { lines, logger } = keptLog();
    const limit = { namespace, identity: 'test', queue };
    await limitFairnessKeys(connection.workflowService, { ...limit, perKeyPerSecond: 5 }, logger);
    await limitFairnessKeys(connection.workflowService, { ...limit, perKeyPerSecond: undefined }, logger);
    expect(lines).toEqual([
      'The server was told how many parts of each batch may begin per second',
      'The server was told how many parts of each batch may begin per second',
    ]);
  });

  it('are logged where the server knows none, and nothing fails', async () => {
    const { lines, logger } = keptLog();
    const refusing = {
      updateTaskQueueConfig: () => Promise.reject(Object.assign(new Error('unknown method'), { code: 12 })),
    };
    const limit = { namespace: 'default', identity: 'test', queue: 'q', perKeyPerSecond: 5 };
    await limitFairnessKeys(refusing, limit, logger);
    expect(lines).toEqual([expect.stringContaining('1.29 or newer')]);
  });
});

describe('parts at once', () => {
  it('are as many as the slots: two uploads of 12 parts have all 24 under way in one worker', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ slots: { host: 24 } });
    const { path } = await bed.writeFile('many.mp4', 12);
    bed.simulator.fault('hold:24:bytes=1000');
    const options = { ...HELD, concurrency: 12 };
    const uploads = await Promise.all([1, 2].map(() => bed.start(path, { options })));
    let held = 0;
    await bed.simulator.waitFor(({ event }) => event === 'held' && (held += 1) === 24);
    bed.simulator.release();
    const results = await Promise.all(uploads.map((upload) => upload.result()));
    expect(results.map(({ retries }) => retries)).toEqual([0, 0]);
    await stop();
  });
});

describe('the resource tuner', () => {
  it('uploads as the fixed one does', async () => {
    const { bed } = on;
    const stop = await bed.startWorker({ tuner: { targetMemory: 0.95, targetCpu: 0.95 } });
    const file = await bed.writeFile('tuned.mp4', 3);
    const result = await (await bed.start(file.path)).result();
    expect(result.status).toBe('COMPLETED');
    await stop();
  });
});
