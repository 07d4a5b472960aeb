import { afterEach, describe, expect, it } from '@jest/globals';
import { startHealthServer } from '../../../../temporal/worker/health-server';
import type { HealthServer } from '../../../../temporal/worker/health-server';

let server: HealthServer | undefined;
afterEach(() => server?.close());

describe('startHealthServer', () => {
  it('is healthy as long as it lives and ready only while nothing keeps it from being so, which it names', async () => {
    let notReady = ['the worker drains'];
    server = await startHealthServer(0, { notReady: () => notReady });
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${String(server?.port)}${path}`)).status;
    expect(await Promise.all(['/healthz', '/readyz', '/other'].map(statusOf))).toEqual([200, 503, 404]);
    const answer = await fetch(`http://127.0.0.1:${String(server.port)}/readyz`);
    expect(await answer.json()).toEqual({ ok: false, notReady: ['the worker drains'] });
    notReady = [];
    expect(await statusOf('/readyz')).toBe(200);
  });

  it('names the port that another process holds, and what to do', async () => {
    server = await startHealthServer(0, { notReady: () => [] });
    await expect(startHealthServer(server.port, { notReady: () => [] })).rejects.toMatchObject({
      code: 'Configuration',
      message: `Port ${String(server.port)} is in use.`,
      facts: { hint: 'Choose another --health-port.' },
    });
  });
});
