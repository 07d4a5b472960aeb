import {
  activateWorkflow,
  executionsOf,
  readExecution,
  startExecution,
  waitForExecution,
} from '../support/n8n-executions';
import { processingHeld } from '../../support/held';
import { NODE_NAME, nodeOf } from '../support/n8n-stage';
import type { Stage } from '../support/n8n-stage';
import type { ServiceFixture } from '../support/service-fixture';
import { callWebhook, workflowAfter, workflowAfterWebhook } from '../support/upload-workflow';
import { LONG_LIMIT_MS, until } from '../../support/until';

const WAITING = 20;
const PATH = 'wait-for-uploads';

export function describeWaits(on: Stage): void {
  describe('an execution that waits for a worker rests', () => {
    const statusesOf = async (ids: readonly string[]): Promise<string[]> =>
      Promise.all(ids.map(async (id) => (await readExecution(on.n8n.rest, id)).status));

    test(`${WAITING} at a concurrency of two, while n8n is away until all uploads have ended and each post has failed`, async () => {
      const { fixture } = on;
      const workflow = await on.import(workflowAfterWebhook(PATH));
      await activateWorkflow(on.n8n.rest, workflow);
      const held = processingHeld(fixture.simulator, WAITING - 1);
      const files = await Promise.all(
        Array.from({ length: WAITING - 1 }, (_none, index) => fixture.writeFile(`resting-${index}.mp4`, 1)),
      );
      const paths = [...files.map(({ path }) => path), `${fixture.folder}/none.mp4`];
      for (const path of paths) {
        const answer = await callWebhook(on.n8n, PATH, { path });
        expect(answer.status).toBe(200);
      }
      const ids = await until(
        'all executions have begun',
        () => executionsOf(on.n8n.rest, workflow),
        ({ length }) => length === WAITING,
      );
      await until(
        'all whose upload runs rest, and that of no file has ended',
        () => statusesOf(ids),
        (all) =>
          all.filter((status) => status === 'waiting').length === WAITING - 1 && all.includes('success'),
        { limitMs: LONG_LIMIT_MS },
      );
      await held;
      await on.restart(() => {
        fixture.simulator.release();
        return until(
          'each wait has posted to nobody',
          () => refusedPosts(fixture),
          (count) => count === WAITING - 1,
          { limitMs: LONG_LIMIT_MS },
        );
      });
      const ended = await Promise.all(ids.map((id) => waitForExecution(on.n8n.rest, id)));
      expect(ended.map(({ status }) => status)).toEqual(paths.map(() => 'success'));
      const after = ended.flatMap((execution) => execution.output('After'));
      expect(after.map(({ json }) => [json['fileName'], json['status']]).sort()).toEqual(
        files.map((_file, index) => [`resting-${index}.mp4`, 'COMPLETED']).sort(),
      );
      expect(after.map(({ pairedItem }) => pairedItem)).toEqual(after.map(() => ({ item: 0 })));
      const failed = ended.flatMap((execution) => execution.output('Failed'));
      expect(failed.map(({ json }) => json['error'])).toEqual([expect.stringContaining('none.mp4')]);
    });

    test('from the editor and in a sub-workflow, with an item of each input item in its order', async () => {
      const { fixture, n8n } = on;
      const trigger = {
        ...nodeOf('Called', 'n8n-nodes-base.executeWorkflowTrigger', { inputSource: 'passthrough' }),
        typeVersion: 1.1,
      };
      const called = await on.import(workflowAfter(trigger));
      const call = {
        ...nodeOf('Call', 'n8n-nodes-base.executeWorkflow', {
          workflowId: { __rl: true, mode: 'id', value: called },
          options: { waitForSubWorkflow: true },
        }),
        typeVersion: 1.2,
      };
      const [first, second] = await Promise.all(
        ['called-1.mp4', 'called-2.mp4'].map((name) => fixture.writeFile(name, 1)),
      );
      const caller = await on.import({
        nodes: [nodeOf('Start', 'n8n-nodes-base.manualTrigger', {}), call],
        connections: { Start: { main: [[{ node: 'Call', type: 'main', index: 0 }]] } },
        pinData: { Start: [first, second].map((file) => ({ json: { path: file?.path } })) },
      });
      await activateWorkflow(n8n.rest, called);
      const held = processingHeld(fixture.simulator, 2);
      const execution = await startExecution(n8n.rest, caller, 'Start');
      const [own = ''] = await until(
        'the sub-workflow and its caller rest',
        () => executionsOf(n8n.rest, called),
        ({ length }) => length === 1,
      );
      await until(
        'both rest',
        () => statusesOf([execution, own]),
        (all) => all.every((status) => status === 'waiting'),
      );
      await held;
      fixture.simulator.release();
      const [inner, outer] = await Promise.all([own, execution].map((id) => waitForExecution(n8n.rest, id)));
      const names = [
        ['called-1.mp4', 'COMPLETED', { item: 0 }],
        ['called-2.mp4', 'COMPLETED', { item: 1 }],
      ];
      expect(
        inner
          ?.output(NODE_NAME)
          .map(({ json, pairedItem }) => [json['fileName'], json['status'], pairedItem]),
      ).toEqual(names);
      expect(outer?.output('Call').map(({ json }) => json['fileName'])).toEqual([
        'called-1.mp4',
        'called-2.mp4',
      ]);
    });
  });
}

/** How many waits of the account have posted to an n8n that is away, and will do so again. */
async function refusedPosts({ connection, accountId }: ServiceFixture): Promise<number> {
  const { workflow } = connection.client;
  const query = "WorkflowType = 'awaitEnds' AND ExecutionStatus = 'Running'";
  let refused = 0;
  for await (const { workflowId } of workflow.list({ query })) {
    if (!workflowId.includes(accountId)) continue;
    const { raw } = await workflow.getHandle(workflowId).describe();
    const failures = (raw.pendingActivities ?? []).map(({ lastFailure }) => lastFailure?.message ?? '');
    if (failures.some((message) => message.includes('ECONNREFUSED'))) refused += 1;
  }
  return refused;
}
