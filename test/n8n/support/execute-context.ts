import { ExecuteContext } from 'n8n-core';
import type { INode, INodeType, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { Workflow, createRunExecutionData } from 'n8n-workflow';
import type { TestCredentialsHelper } from './credentials-helper';
import { additionalDataOf } from './run-workflow';

/**
 * n8n's own context for a single node with one empty item, for everything that is not a run of our node. `modules` of
 * n8n's server are added.
 */
export function executeContextOf(
  node: INode,
  nodeType: INodeType,
  credentialsHelper: TestCredentialsHelper,
  modules: Pick<IWorkflowExecuteAdditionalData, 'otel'> = {},
): ExecuteContext {
  const find = (): INodeType => nodeType;
  const workflow = new Workflow({
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
  });
  const parts = { credentialsHelper, executionId: 'e', nodes: [node], connections: {}, messages: [] };
  const items = [{ json: {} }];
  return new ExecuteContext(
    workflow,
    node,
    { ...additionalDataOf({ ...parts, mode: 'internal' }), ...modules },
    'internal',
    createRunExecutionData({}),
    0,
    items,
    { main: [items] },
    { node, data: { main: [items] }, source: null },
    [],
  );
}
