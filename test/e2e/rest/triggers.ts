import { expect, test } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import {
  activateWorkflow,
  deactivateWorkflow,
  executionsOf,
  importWorkflow,
  publicationEnded,
  runWorkflow,
  waitForExecution,
} from '../support/n8n-executions';
import { NODE_TYPE, nodeOf } from '../support/n8n-stage';
import type { OnStage } from '../support/n8n-stage';
import { SECRET_TRACES } from '../support/service-fixture';
import { NO_POLL_TIMES } from '../support/poll-times';
import { until } from '../../support/until';

const TRIGGER = 'Media Service Trigger';

export function describeTriggers(on: OnStage): void {
  /** Imports a trigger that polls once when the workflow is activated, and once when n8n starts. */
  const importTrigger = (parameters: INodeParameters): Promise<string> => {
    const trigger = nodeOf(TRIGGER, `${NODE_TYPE}Trigger`, { ...parameters, pollTimes: NO_POLL_TIMES });
    return importWorkflow(on.stage.n8n.rest, {
      nodes: [
        { ...trigger, credentials: on.stage.withoutTemporal },
        nodeOf('After', 'n8n-nodes-base.noOp', {}),
      ],
      connections: { [TRIGGER]: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
    });
  };

  /**
   * A field of the items in every execution, oldest execution first. Waits for `executions` executions, and for the end
   * of the poll that started the last one. n8n stores a trigger's state at that end.
   */
  const itemsOf = async (workflow: string, field: string, executions: number): Promise<unknown[][]> => {
    const { rest } = on.stage.n8n;
    const started = await until(
      `${executions} executions of workflow ${workflow}`,
      () => executionsOf(rest, workflow),
      (ids) => ids.length >= executions,
    );
    await publicationEnded(rest, workflow, 'published');
    const ended = await Promise.all(started.reverse().map((id) => waitForExecution(rest, id)));
    for (const { text } of ended) for (const trace of SECRET_TRACES) expect(text).not.toContain(trace);
    return ended.map((execution) => execution.output('After').map(({ json }) => json[field]));
  };

  const deliveriesOf = (workflow: string, executions: number): Promise<unknown[][]> =>
    itemsOf(workflow, 'id', executions);

  /** Uploads with the node of another workflow, and returns the upload ID. */
  test('an active workflow gets every new failed delivery in one execution, even when n8n restarts', async () => {
    const { simulator } = on.stage.fixture;
    const workflow = await importTrigger({ event: 'deliveryFailed' });
    const event = await runWorkflow(on.stage.n8n.rest, workflow, TRIGGER);
    expect(event.output('After').map(({ json }) => json['status'])).toEqual(['FAILED']);

    await activateWorkflow(on.stage.n8n.rest, workflow);
    simulator.addDelivery({ id: 'while n8n runs' });
    simulator.addDelivery({ id: 'a success', status: 'SUCCESS' });
    await on.stage.restart(() => simulator.addDelivery({ id: 'while n8n is down' }));
    const restarted = [[expect.anything()], ['while n8n runs', 'while n8n is down']];
    expect(await deliveriesOf(workflow, 2)).toEqual(restarted);

    await deactivateWorkflow(on.stage.n8n.rest, workflow);
    simulator.addDelivery({ id: 'while inactive' });
    await activateWorkflow(on.stage.n8n.rest, workflow);
    const reactivated = [...restarted, ['while inactive']];
    expect(await deliveriesOf(workflow, 3)).toEqual(reactivated);

    const last = simulator.events().at(-1)?.seq ?? 0;
    await on.stage.restart();
    await simulator.waitFor(({ operation, seq }) => operation === 'webhooks' && seq > last);
    expect(await deliveriesOf(workflow, 3)).toEqual(reactivated);

    await deactivateWorkflow(on.stage.n8n.rest, workflow);
    simulator.addDelivery({ id: 'after all' });
    await activateWorkflow(on.stage.n8n.rest, workflow);
    expect(await deliveriesOf(workflow, 4)).toEqual([...reactivated, ['after all']]);
  });

  test('a test without an item has an empty output instead of none, so that the editor shows the hint', async () => {
    const workflow = await importTrigger({ event: 'delivery', filters: { subAccountId: 'nobody' } });
    const test = await runWorkflow(on.stage.n8n.rest, workflow, TRIGGER);
    expect([test.status, test.error]).toEqual(['success', undefined]);
    expect(test.runData[TRIGGER]?.[0]?.data?.['main']).toEqual([[]]);
  });
}
