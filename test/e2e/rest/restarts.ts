import type { INodeParameters } from 'n8n-workflow';
import { nextHeld } from '../../support/held';
import { until } from '../../support/until';
import type { SeenSession } from '../../support/upload-fixture';
import {
  activateWorkflow,
  deactivateWorkflow,
  executionsOf,
  importWorkflow,
  publicationEnded,
  runWorkflow,
  startExecution,
  waitForExecution,
} from '../support/n8n-executions';
import { NODE_NAME, NODE_TYPE, nodeOf, workflowOf } from '../support/n8n-stage';
import type { Stage, StoredCredentials } from '../support/n8n-stage';
import { WORKER_HOST } from '../support/service-fixture';

/** Of the address of a file. */
export const SIGNATURE = 'signature-canary-5b0c';
const TRIGGER = 'Media Service Trigger';
/** The next other poll than those of publishing and of n8n's start is on a 29 February. */
const NO_POLL_TIMES = { item: [{ mode: 'custom', cronExpression: '0 0 0 29 2 *' }] };

export function describeRestarts(on: Stage): void {
  const sessionsOf = (wanted: string): SeenSession[] =>
    on.simulator.seen().sessions.filter(({ title }) => title === wanted);

  /** Starts an upload. Resolves with the IDs of workflow and execution while its second part is sent. */
  const startHeld = async (
    parameters: INodeParameters,
    credentials: StoredCredentials,
  ): Promise<[string, string]> => {
    const { rest } = on.n8n;
    const { simulator } = on;
    simulator.fault('hold:1:part=2,bytes=1000');
    const held = nextHeld(simulator);
    const of = { resource: 'upload', operation: 'upload', simplify: false, ...parameters };
    const workflow = await importWorkflow(rest, workflowOf(of, { credentials }));
    const execution = await startExecution(rest, workflow, 'Start');
    await held();
    return [workflow, execution];
  };

  /** Publishes a trigger that polls only when it is published, and when n8n starts. */
  const publishTrigger = async (): Promise<string> => {
    const parameters = { event: 'deliveryFailed', pollTimes: NO_POLL_TIMES };
    const trigger = nodeOf(TRIGGER, `${NODE_TYPE}Trigger`, parameters);
    const workflow = await importWorkflow(on.n8n.rest, {
      nodes: [{ ...trigger, credentials: on.withoutTemporal }, nodeOf('After', 'n8n-nodes-base.noOp', {})],
      connections: { [TRIGGER]: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
    });
    await activateWorkflow(on.n8n.rest, workflow);
    return workflow;
  };

  /** The deliveries in each of so many executions, oldest first, once n8n has stored the state of the trigger. */
  const deliveriesOf = async (workflow: string, executions: number): Promise<unknown[][]> => {
    const { rest } = on.n8n;
    const started = await until(
      `${executions} executions of workflow ${workflow}`,
      () => executionsOf(rest, workflow),
      (ids) => ids.length >= executions,
    );
    await publicationEnded(rest, workflow, 'published');
    const ended = await Promise.all(started.reverse().map((id) => waitForExecution(rest, id)));
    return ended.map((execution) => execution.output('After').map(({ json }) => json['id']));
  };

  test('a killed n8n loses no delivery; an upload on a worker continues meanwhile, and one inside n8n starts again with the next run', async () => {
    const { fixture, simulator, credentials, withoutTemporal } = on;
    const trigger = await publishTrigger();
    simulator.addDelivery({ id: 'while n8n runs' });
    simulator.addDelivery({ id: 'a success', status: 'SUCCESS' });
    const [durable, cutOff] = await Promise.all(
      ['durable.mp4', 'cut off.mp4'].map((name) => fixture.writeFile(name, 40)),
    );
    const onWorker = { source: 'path', path: durable?.path, host: WORKER_HOST, runIn: 'worker' };
    const [workflow, execution] = await startHeld(
      { ...onWorker, title: 'durable', ingestKey: 'order-1' },
      credentials,
    );
    const { url } = await fixture.serveFile(cutOff?.path ?? '', `X-Source-Signature=${SIGNATURE}`);
    const [inside, insideExecution] = await startHeld(
      { source: 'url', url, title: 'cut off', ingestKey: 'order-2' },
      withoutTemporal,
    );
    await on.restart(() => {
      simulator.addDelivery({ id: 'while n8n is down' });
      simulator.release();
    }, 'SIGKILL');
    const { rest } = on.n8n;

    expect(await deliveriesOf(trigger, 1)).toEqual([['while n8n runs', 'while n8n is down']]);
    await deactivateWorkflow(rest, trigger);
    simulator.addDelivery({ id: 'while inactive' });
    await activateWorkflow(rest, trigger);
    expect((await deliveriesOf(trigger, 2))[1]).toEqual(['while inactive']);
    await deactivateWorkflow(rest, trigger);

    for (const id of [execution, insideExecution])
      expect((await waitForExecution(rest, id)).status).toBe('crashed');
    const joined = await runWorkflow(rest, workflow);
    expect(joined.error).toBeUndefined();
    const [item] = joined.output(NODE_NAME);
    expect(item?.json).toMatchObject({ joined: true, status: 'COMPLETED' });
    expect(await fixture.storedSha256(item?.json['uploadId'])).toBe(durable?.sha256);
    expect(sessionsOf('durable')).toHaveLength(1);

    const [left] = sessionsOf('cut off');
    const again = await runWorkflow(rest, inside);
    const [sent] = again.output(NODE_NAME);
    expect(again.error).toBeUndefined();
    expect(sent?.json).toMatchObject({
      joined: false,
      status: 'COMPLETED',
      warning: expect.stringContaining(`left media ${left?.mediaId}, which is not finished`),
    });
    expect(await fixture.storedSha256(sent?.json['uploadId'])).toBe(cutOff?.sha256);
    const third = await runWorkflow(rest, inside);
    expect(third.output(NODE_NAME)[0]?.json).toMatchObject({
      joined: true,
      status: 'COMPLETED',
      mediaId: sent?.json['mediaId'],
    });
    expect(sessionsOf('cut off')).toHaveLength(2);
  });
}
