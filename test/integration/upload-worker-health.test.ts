import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { runWorker } from '../../temporal/worker/run-worker';
import { freePort } from '../support/free-port';
import { HELD, PART_BYTES, useUploadFixture } from '../support/upload-fixture';

const on = useUploadFixture({ worker: false });

describe('a worker', () => {
  it('is ready while it polls, says why it is not ready while it drains, and closes its port afterwards', async () => {
    const { fixture } = on;
    const healthPort = await freePort();
    const stop = await fixture.startWorker({ healthPort, shutdownGraceMs: 60_000 });
    const look = async (page: string): Promise<unknown[]> => {
      const answer = await fetch(`http://127.0.0.1:${String(healthPort)}/${page}`);
      return [answer.status, await answer.json()];
    };
    expect(await look('readyz')).toEqual([200, { ok: true }]);
    // So close to its end that the drain lets it end.
    fixture.simulator.fault(`hold:part=1,bytes=${String(PART_BYTES - 1_000)}`);
    const { path } = await fixture.writeFile('drained.mp4', 1);
    const { workflowId } = await fixture.start(path, { options: HELD });
    await fixture.simulator.waitFor(({ event }) => event === 'held');
    const stopped = stop();
    expect(await look('readyz')).toEqual([503, { ok: false, notReady: ['the worker drains'] }]);
    expect(await look('healthz')).toEqual([200, { ok: true }]);
    fixture.simulator.release();
    await stopped;
    await expect(look('readyz')).rejects.toThrow('fetch failed');
    await fixture.connection.client.workflow.getHandle(workflowId).terminate();
  });

  it('refuses a health port that is in use before it creates anything', async () => {
    const { config } = on.fixture;
    const holder = createServer().listen(0);
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { signal } = new AbortController();
    const run = runWorker({ ...config, healthPort: port }, { signal, workflowBundle: { code: '' } });
    await expect(run).rejects.toMatchObject({
      code: 'Configuration',
      message: `Port ${String(port)} is in use.`,
    });
    holder.close();
    await once(holder, 'close');
  });

  it.each<[string, Change, string]>([
    ['no account', { accounts: [] }, 'Configuration'],
    ['malformed codec keys', { codecKeys: 'nonsense' }, 'Configuration'],
    ['a missing namespace', { namespace: 'nope' }, 'Configuration'],
    ['an address without a Temporal server', { address: '127.0.0.1:1' }, 'TemporalUnreachable'],
  ])('with %s says so before it polls anything', async (_name, { accounts, ...temporal }, code) => {
    const { config } = on.fixture;
    const changed = {
      ...config,
      temporal: { ...config.temporal, ...temporal },
      accounts: accounts ?? config.accounts,
    };
    const { signal } = new AbortController();
    await expect(runWorker(changed, { signal, workflowBundle: { code: '' } })).rejects.toMatchObject({
      code,
    });
  });
});

interface Change {
  readonly accounts?: [];
  readonly codecKeys?: string;
  readonly address?: string;
  readonly namespace?: string;
}
