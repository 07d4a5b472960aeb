import { randomUUID } from 'node:crypto';
import { Container } from '@n8n/di';
import { PollContext, TriggersAndPollers } from 'n8n-core';
import type { IDataObject, INode, INodeParameters, IPollFunctions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { MediaServiceTrigger } from '../../../nodes/MediaServiceTrigger/MediaServiceTrigger.node';
import { TestCredentialsHelper } from './credentials-helper';
import type { StoredCredentials } from './credentials-helper';
import { nodeTypes } from './node-types';
import { additionalDataOf, nodeOf } from './run-workflow';

const TRIGGER_TYPE = 'n8n-nodes-media-service.mediaServiceTrigger';

/** Our trigger in an active workflow of its own. n8n-core's own poller and context poll it when the test says so. */
export interface PolledTrigger {
  /** The items of one poll, or none if it starts no execution. */
  poll(): Promise<IDataObject[]>;
  /** "Fetch Test Event". */
  fetchTestEvent(): Promise<IDataObject[]>;
  /** Restarts n8n: only what it stored is left. */
  restart(change?: { parameters?: INodeParameters; credentials?: StoredCredentials }): void;
  /** What n8n stores of the trigger's state. */
  stored(): string;
}

export interface TriggerSetting {
  readonly parameters: INodeParameters;
  readonly credentials: StoredCredentials;
  /** Default: n8n's own. */
  readonly budgetMs?: number;
}

export function createPolledTrigger(setting: TriggerSetting): PolledTrigger {
  let { parameters, credentials } = setting;
  const type = new MediaServiceTrigger();
  const workflowOf = (staticData: string): Workflow =>
    new Workflow({
      id: 'workflow-1',
      nodes: [triggerNode(parameters, credentials)],
      connections: {},
      active: true,
      nodeTypes: nodeTypes(() => type),
      staticData: JSON.parse(staticData) as IDataObject,
    });
  let workflow = workflowOf('{}');

  async function run(mode: 'trigger' | 'manual'): Promise<IDataObject[]> {
    // A poll reads up to the millisecond in which it begins. Items from that same millisecond would come with the next
    // poll.
    for (const begun = Date.now(); Date.now() === begun;);
    const node = workflow.getNode('Trigger');
    if (node === null) throw new Error('The workflow has no trigger.');
    const context = new PollContext(
      workflow,
      node,
      additionalDataOf({
        credentialsHelper: new TestCredentialsHelper(credentials),
        executionId: randomUUID(),
        mode,
        nodes: [node],
      }),
      mode,
      mode === 'manual' ? 'manual' : 'activate',
      ...([undefined, undefined, undefined, undefined, undefined] as const),
      setting.budgetMs === undefined ? undefined : () => setting.budgetMs ?? 0,
    );
    const output = await Container.get(TriggersAndPollers).runPollFunction(
      workflow,
      node,
      context as IPollFunctions,
    );
    if (mode === 'manual' && output === null) throw new Error('A test without output shows no hint.');
    return output?.[0]?.map(({ json }) => json) ?? [];
  }

  return {
    poll: () => run('trigger'),
    fetchTestEvent: () => run('manual'),
    stored: () => JSON.stringify(workflow.staticData),
    restart(change = {}) {
      parameters = change.parameters ?? parameters;
      credentials = change.credentials ?? credentials;
      workflow = workflowOf(JSON.stringify(workflow.staticData));
    },
  };
}

/** The node as n8n stores it after it was added: with all visible parameters. */
function triggerNode(parameters: INodeParameters, credentials: StoredCredentials): INode {
  return {
    ...nodeOf('Trigger', TRIGGER_TYPE, { pollTimes: { item: [{ mode: 'everyMinute' }] }, ...parameters }),
    credentials: Object.fromEntries(Object.keys(credentials).map((type) => [type, { id: type, name: type }])),
  };
}
