import type { ICredentialDataDecryptedObject, INodeParameters, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { MediaService } from '../../../nodes/MediaService/MediaService.node';
import { TestCredentialsHelper } from './credentials-helper';
import { executeContextOf } from './execute-context';
import { standIn } from './node-types';
import { NODE_TYPE, nodeOf } from './run-workflow';

/** Our node as an agent of n8n receives it. */
export interface AgentTool {
  readonly name: string;
  /** The description for the model. */
  readonly description: string;
  /** Checks a model's arguments; `shape` names them. */
  readonly schema: { readonly shape: Readonly<Record<string, { readonly description?: string }>> };
  /** Rejects with the error that the agent sees. */
  invoke(args: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Attaches our node to an agent as "Tool" in the editor does: n8n-core makes a tool of it. */
export async function toolOf(
  parameters: INodeParameters,
  credential: ICredentialDataDecryptedObject,
): Promise<AgentTool> {
  const agent = nodeOf('Agent', 'agent', {});
  const agentType = standIn({ inputs: [NodeConnectionTypes.Main, { type: NodeConnectionTypes.AiTool }] });
  const tool = {
    ...nodeOf('Find media', `${NODE_TYPE}Tool`, { descriptionType: 'auto', ...parameters }),
    credentials: { mediaServiceApi: { id: 'c', name: 'c' } },
  };
  const find = (type: string): INodeType => (type === agent.type ? agentType : toolType());
  const connections = {
    [tool.name]: { ai_tool: [[{ node: agent.name, type: 'ai_tool' as const, index: 0 }]] },
  };
  const context = executeContextOf({
    ...{ node: agent, find, nodes: [agent, tool], connections },
    credentialsHelper: new TestCredentialsHelper({ mediaServiceApi: credential }),
  });
  const tools: unknown = await context.getInputConnectionData(NodeConnectionTypes.AiTool, 0);
  const [made] = Array.isArray(tools) ? (tools as AgentTool[]) : [];
  if (made === undefined) throw new Error('n8n made no tool of the node.');
  return made;
}

/** What n8n makes of a node that can be used as a tool. */
function toolType(): INodeType {
  const node = new MediaService();
  if (node.description.usableAsTool !== true) throw new Error('The node is not usable as a tool.');
  Object.assign(node.description, {
    name: `${node.description.name}Tool`,
    inputs: [],
    outputs: [NodeConnectionTypes.AiTool],
  });
  return node;
}
