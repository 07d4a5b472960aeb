import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../api/system-clock';
import { pageIdOf, startRows, writeRows } from '../support/batch-bed';
import { HELD, useUploadBed } from '../support/upload-bed';

const on = useUploadBed({ worker: false });

/** Makes a build the one that takes new workflows, as soon as the server has seen its worker. */
async function makeCurrent(deployment: string, buildId: string): Promise<void> {
  const { client, namespace } = on.bed.connection;
  const version = { namespace, deploymentName: deployment, buildId, identity: 'test' };
  for (;;) {
    try {
      await client.workflowService.setWorkerDeploymentCurrentVersion({
        ...version,
        ignoreMissingTaskQueues: true,
      });
      return;
    } catch (error) {
      const unseen = error instanceof Error && 'code' in error && [5, 9].includes(Number(error.code));
      if (!unseen) throw error;
      await systemClock.sleep(100);
    }
  }
}

/** Who did an upload's activities and workflow tasks, without what tells workers of one process apart. */
async function workersOf(workflowId: string): Promise<readonly string[]> {
  const { events } = await on.bed.connection.client.workflow.getHandle(workflowId).fetchHistory();
  const identities = (events ?? []).flatMap(({ workflowTaskStartedEventAttributes, ...event }) => [
    workflowTaskStartedEventAttributes?.identity,
    event.activityTaskStartedEventAttributes?.identity,
  ]);
  return [...new Set(identities.flatMap((one) => one?.split('/')[0] ?? []))];
}

/** Builds that did a workflow's tasks, in order. */
async function buildsOf(workflowId: string): Promise<readonly string[]> {
  const { events } = await on.bed.connection.client.workflow.getHandle(workflowId).fetchHistory();
  const builds = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: completed }) => {
    const build = completed?.deploymentVersion?.buildId;
    return typeof build === 'string' ? [build] : [];
  });
  return [...new Set(builds)];
}

describe('workers of two builds', () => {
  it('keep an upload with the build that began it, while new ones go to the current build', async () => {
    const { bed } = on;
    const deployment = bed.queuePrefix;
    const a = `${String(process.pid)}@host-a`;
    const b = `${String(process.pid)}@host-b`;
    const stopA = await bed.startWorker({ host: 'host-a', version: { deployment, buildId: 'A' } });
    await makeCurrent(deployment, 'A');
    bed.simulator.fault('hold:part=1,bytes=1000000');
    const held = bed.simulator.waitFor(({ event }) => event === 'held');
    const { path } = await bed.writeFile('film.mp4', 2);
    const source = { kind: 'path', path } as const;
    const options = { ...HELD, concurrency: 1 };
    const first = await bed.start(path, { source, options });
    await held;
    const stopB = await bed.startWorker({ host: 'host-b', version: { deployment, buildId: 'B' } });
    await makeCurrent(deployment, 'B');
    const second = await bed.start(path, { source, options });
    await second.result();
    bed.simulator.release();
    await first.result();
    expect(await workersOf(first.workflowId)).toEqual([a]);
    expect(await workersOf(second.workflowId)).toEqual([b]);
    await Promise.all([stopA(), stopB()]);
  });

  it('take a batch over with the current build, while the uploads that run end with theirs', async () => {
    const { bed } = on;
    const deployment = bed.queuePrefix;
    const outputRoots = [bed.folder];
    const stopC = await bed.startWorker({ outputRoots, version: { deployment, buildId: 'C' } });
    await makeCurrent(deployment, 'C');
    const rows = await writeRows(bed, 'long', 3);
    bed.simulator.fault('processing-stuck');
    const from = bed.simulator.events().at(-1)?.seq ?? 0;
    const held = bed.simulator.waitFor(({ seq, event }) => seq > from && event === 'held');
    const batch = await startRows(bed, 'long', rows);
    await held;
    const stopD = await bed.startWorker({ outputRoots, version: { deployment, buildId: 'D' } });
    await makeCurrent(deployment, 'D');
    bed.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 3 });
    expect(await buildsOf(batch.workflowId)).toEqual(['C', 'D']);
    const page = await pageIdOf(bed, batch.workflowId, 0);
    expect(await buildsOf(page)).toEqual(['C']);
    await Promise.all([stopC(), stopD()]);
  });
});
