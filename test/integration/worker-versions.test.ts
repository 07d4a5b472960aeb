import { describe, expect, it } from '@jest/globals';
import { pageIdOf, startRows, writeRows } from '../support/batch-fixture';
import { HELD, useUploadFixture } from '../support/upload-fixture';
import { until } from '../support/until';

const on = useUploadFixture({ worker: false });

/** `ROUTING_CONFIG_UPDATE_STATE_IN_PROGRESS` of Temporal. */
const IN_PROGRESS = 1;

/** Makes a build the one for new workflows, as soon as the server has seen its worker. */
async function makeCurrent(deployment: string, buildId: string): Promise<void> {
  const { client, namespace } = on.fixture.connection;
  const version = { namespace, deploymentName: deployment, buildId, identity: 'test' };
  const refusal = (): Promise<Error | undefined> =>
    client.workflowService
      .setWorkerDeploymentCurrentVersion({ ...version, ignoreMissingTaskQueues: true })
      .then(
        () => undefined,
        (error: unknown) => {
          const unseen = error instanceof Error && 'code' in error && [5, 9].includes(Number(error.code));
          if (!unseen) throw error;
          return error;
        },
      );
  await until(`the server knows build ${buildId}`, refusal, (refused) => refused === undefined);
  // Task queues learn it one after another.
  await until(
    `all task queues use build ${buildId}`,
    () => client.workflowService.describeWorkerDeployment({ namespace, deploymentName: deployment }),
    ({ workerDeploymentInfo: info }) => Number(info?.routingConfigUpdateState) !== IN_PROGRESS,
  );
}

/** The workers of an upload's activities and workflow tasks, without what distinguishes workers of one process. */
async function workersOf(workflowId: string): Promise<readonly string[]> {
  const { events } = await on.fixture.connection.client.workflow.getHandle(workflowId).fetchHistory();
  const identities = (events ?? []).flatMap(({ workflowTaskStartedEventAttributes, ...event }) => [
    workflowTaskStartedEventAttributes?.identity,
    event.activityTaskStartedEventAttributes?.identity,
  ]);
  return [...new Set(identities.flatMap((one) => one?.split('/')[0] ?? []))];
}

/** The builds that ran a workflow's tasks, in order. */
async function buildsOf(workflowId: string): Promise<readonly string[]> {
  const { events } = await on.fixture.connection.client.workflow.getHandle(workflowId).fetchHistory();
  const builds = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: completed }) => {
    const build = completed?.deploymentVersion?.buildId;
    return typeof build === 'string' ? [build] : [];
  });
  return [...new Set(builds)];
}

describe('workers of two builds', () => {
  it('finish an upload on the build that began it, while new uploads use the current build', async () => {
    const { fixture } = on;
    const deployment = fixture.queuePrefix;
    const a = `${String(process.pid)}@host-a`;
    const b = `${String(process.pid)}@host-b`;
    const stopA = await fixture.startWorker({
      host: 'host-a',
      version: { deploymentName: deployment, buildId: 'A' },
    });
    await makeCurrent(deployment, 'A');
    fixture.simulator.fault('hold:part=1,bytes=1000000');
    const held = fixture.simulator.waitFor(({ event }) => event === 'held');
    const { path } = await fixture.writeFile('film.mp4', 2);
    const source = { kind: 'path', path } as const;
    const options = { ...HELD, concurrency: 1 };
    const first = await fixture.start(path, { source, options });
    await held;
    const stopB = await fixture.startWorker({
      host: 'host-b',
      version: { deploymentName: deployment, buildId: 'B' },
    });
    await makeCurrent(deployment, 'B');
    const second = await fixture.start(path, { source, options });
    await second.result();
    fixture.simulator.release();
    await first.result();
    expect(await workersOf(first.workflowId)).toEqual([a]);
    expect(await workersOf(second.workflowId)).toEqual([b]);
    await Promise.all([stopA(), stopB()]);
  });

  it('move a batch to the current build, while its running uploads end on theirs', async () => {
    const { fixture } = on;
    const deployment = fixture.queuePrefix;
    const outputRoots = [fixture.folder];
    const stopC = await fixture.startWorker({
      outputRoots,
      version: { deploymentName: deployment, buildId: 'C' },
    });
    await makeCurrent(deployment, 'C');
    const rows = await writeRows(fixture, 'long', 3);
    fixture.simulator.fault('processing-stuck');
    const from = fixture.simulator.events().at(-1)?.seq ?? 0;
    const held = fixture.simulator.waitFor(({ seq, event }) => seq > from && event === 'held');
    const batch = await startRows(fixture, 'long', rows);
    await held;
    const stopD = await fixture.startWorker({
      outputRoots,
      version: { deploymentName: deployment, buildId: 'D' },
    });
    await makeCurrent(deployment, 'D');
    const root = fixture.connection.client.workflow.getHandle(batch.workflowId);
    await until(
      'the batch runs on the current build',
      async () => {
        // A queue of the server may learn the build late. A signal that nobody knows only makes a task.
        await root.signal('nothing');
        return buildsOf(batch.workflowId);
      },
      (builds) => builds.includes('D'),
    );
    fixture.simulator.release();
    expect((await batch.result()).counts).toMatchObject({ completed: 3 });
    expect(await buildsOf(batch.workflowId)).toEqual(['C', 'D']);
    const page = await pageIdOf(fixture, batch.workflowId, 0);
    expect(await buildsOf(page)).toEqual(['C']);
    await Promise.all([stopC(), stopD()]);
  });
});
