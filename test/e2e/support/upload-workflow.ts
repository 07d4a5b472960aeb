import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { WorkflowFile } from './n8n-executions';
import { NODE_NAME, NODE_TYPE, nodeOf } from './n8n-stage';
import { WORKER_HOST } from './service-fixture';
import type { RunningN8n } from './start-n8n';

const upload: INodeParameters = {
  resource: 'upload',
  operation: 'upload',
  runIn: 'worker',
  source: 'path',
  host: WORKER_HOST,
  path: '={{ $json.body?.path ?? $json.path }}',
};

/** A trigger, our node, and a node at each of its outputs. */
export function workflowAfter(trigger: INode): WorkflowFile {
  const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
  return {
    nodes: [
      trigger,
      {
        ...nodeOf(NODE_NAME, NODE_TYPE, upload),
        credentials: { mediaServiceWorkerApi: { id: '', name: '' } },
        onError: 'continueErrorOutput',
      },
      nodeOf('After', 'n8n-nodes-base.noOp', {}),
      nodeOf('Failed', 'n8n-nodes-base.noOp', {}),
    ],
    connections: {
      [trigger.name]: { main: [to(NODE_NAME)] },
      [NODE_NAME]: { main: [to('After'), to('Failed')] },
    },
  };
}

/** The same after a webhook that answers at once. */
export function workflowAfterWebhook(path: string): WorkflowFile {
  const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
  return workflowAfter({
    ...nodeOf('Webhook', 'n8n-nodes-base.webhook', parameters),
    ...{ typeVersion: 2, webhookId: path },
  });
}

/** Starts an execution of that workflow. */
export function callWebhook({ url }: RunningN8n, path: string, body: IDataObject): Promise<Response> {
  const headers = { 'content-type': 'application/json', connection: 'close' };
  return fetch(`${url}/webhook/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}
