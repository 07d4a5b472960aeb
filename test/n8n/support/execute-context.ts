import { ExecuteContext } from 'n8n-core';
import type { IConnections, INode, INodeType } from 'n8n-workflow';
import { Workflow, createRunExecutionData } from 'n8n-workflow';
import type { TestCredentialsHelper } from './credentials-helper';
import { nodeTypes } from './node-types';
import { additionalDataOf } from './run-workflow';

interface ContextParts {
  readonly node: INode;
  readonly find: (type: string) => INodeType;
  readonly credentialsHelper: TestCredentialsHelper;
  /** Default: only the node. */
  readonly nodes?: INode[];
  readonly connections?: IConnections;
}

/** n8n's own context for a node with one empty item, for everything that is not a run of our node. */
export function executeContextOf({ node, find, credentialsHelper, ...more }: ContextParts): ExecuteContext {
  const { nodes = [node], connections = {} } = more;
  const workflow = new Workflow({ nodes, connections, active: false, nodeTypes: nodeTypes(find) });
  const items = [{ json: {} }];
  return new ExecuteContext(
    workflow,
    node,
    additionalDataOf({ credentialsHelper, executionId: 'e', mode: 'manual', nodes, connections }),
    'manual',
    createRunExecutionData({}),
    0,
    items,
    { main: [items] },
    { node, data: { main: [items] }, source: null },
    [],
  );
}
