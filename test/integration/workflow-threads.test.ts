import { describe, expect, it } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import threads from 'node:worker_threads';
import type { Worker } from 'node:worker_threads';
import { useUploadFixture } from '../support/upload-fixture';

describe('a worker', () => {
  const on = useUploadFixture({ worker: false });

  it('keeps no stack for each promise of a workflow, and leaves other threads unchanged', async () => {
    const { fixture } = on;
    const { Worker } = threads;
    await fixture.startWorker();
    expect(threads.Worker).toBe(Worker);
    fixture.simulator.fault('processing-stuck:1');
    const { path } = await fixture.writeFile('film.mp4', 1);
    const { workflowId, result } = await fixture.start(path);
    await fixture.simulator.waitFor(({ event }) => event === 'complete-accepted');
    const handle = fixture.connection.client.workflow.getHandle(workflowId);
    await expect(handle.query('__stack_trace')).rejects.toThrow(/not enabled on this worker/);
    fixture.simulator.release();
    expect(await result()).toMatchObject({ status: 'COMPLETED' });
  });

  it('gives workflows 12 MB for new objects', async () => {
    const given: (number | undefined)[] = [];
    const note = (created: unknown): void => {
      const { worker } = created as { readonly worker: Worker };
      given.push(worker.resourceLimits?.maxYoungGenerationSizeMb);
    };
    subscribe('worker_threads', note);
    try {
      await on.fixture.startWorker();
    } finally {
      unsubscribe('worker_threads', note);
    }
    expect(given).toEqual([12]);
  });
});
