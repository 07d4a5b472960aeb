import type { History } from '@temporalio/common/lib/proto-utils';
import { pageIdOf, startRows, writeRows } from '../support/batch-fixture';
import { nextHeld } from '../support/held';
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

type HistoryEvent = NonNullable<History['events']>[number];

/** What the events of a workflow say, in order, each once. */
async function eachOnce(
  workflowId: string,
  says: (event: HistoryEvent) => string | null | undefined,
): Promise<readonly string[]> {
  const { events } = await on.fixture.connection.client.workflow.getHandle(workflowId).fetchHistory();
  return [...new Set((events ?? []).flatMap((event) => says(event) ?? []))];
}

/** The workers of an upload's activities and workflow tasks. */
const workersOf = (workflowId: string): Promise<readonly string[]> =>
  eachOnce(
    workflowId,
    ({ workflowTaskStartedEventAttributes: task, activityTaskStartedEventAttributes: activity }) =>
      (task ?? activity)?.identity,
  );

/** The builds that ran a workflow's tasks. */
const buildsOf = (workflowId: string): Promise<readonly string[]> =>
  eachOnce(workflowId, ({ workflowTaskCompletedEventAttributes: task }) => task?.deploymentVersion?.buildId);

/** Starts a worker of a build, and makes that the current one. */
async function startBuild(buildId: string): Promise<() => Promise<void>> {
  const deploymentName = on.fixture.queuePrefix;
  const stop = await on.fixture.startWorker({ version: { deploymentName, buildId } });
  await makeCurrent(deploymentName, buildId);
  return stop;
}

it('workers of two builds finish what the old one began, while new uploads use the current build and a batch moves to it', async () => {
  const { fixture } = on;
  const stopA = await startBuild('A');
  const { path } = await fixture.writeFile('film.mp4', 2);
  const options = { ...HELD, concurrency: 1 };
  fixture.simulator.fault('hold:part=1,bytes=1000000');
  const partHeld = nextHeld(fixture.simulator);
  const first = await fixture.start(path, { options });
  await partHeld();
  fixture.simulator.fault('processing-stuck');
  const rowHeld = nextHeld(fixture.simulator);
  const batch = await startRows(fixture, 'long', await writeRows(fixture, 'long', 3));
  await rowHeld();
  const stopB = await startBuild('B');
  const second = await fixture.start(path, { options });
  await second.result();
  const root = fixture.connection.client.workflow.getHandle(batch.workflowId);
  await until(
    'the batch runs on the current build',
    async () => {
      // A queue of the server may learn the build late. A signal that nobody knows only makes a task.
      await root.signal('nothing');
      return buildsOf(batch.workflowId);
    },
    (builds) => builds.includes('B'),
  );
  fixture.simulator.release();
  await first.result();
  const [ofFirst, ofSecond] = [await workersOf(first.workflowId), await workersOf(second.workflowId)];
  expect([ofFirst.length, ofSecond.length, new Set([...ofFirst, ...ofSecond]).size]).toEqual([1, 1, 2]);
  expect((await batch.result()).counts).toMatchObject({ completed: 3 });
  expect(await buildsOf(batch.workflowId)).toEqual(['A', 'B']);
  expect(await buildsOf(await pageIdOf(fixture, batch.workflowId, 0))).toEqual(['A']);
  await Promise.all([stopA(), stopB()]);
});
