import type { INodeType, INodeTypeDescription, INodeTypes } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

/** The node types of a workflow, by their names. */
export function nodeTypes(find: (type: string) => INodeType): INodeTypes {
  return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

/** A node type in place of one of n8n's own, which are not published separately. */
export function standIn(
  description: Partial<INodeTypeDescription> = {},
  execute?: NonNullable<INodeType['execute']>,
): INodeType {
  return {
    description: {
      displayName: 'Stand-in',
      name: 'standIn',
      group: ['transform'],
      version: 1,
      description: '',
      defaults: {},
      inputs: [NodeConnectionTypes.Main],
      outputs: [NodeConnectionTypes.Main],
      properties: [],
      ...description,
    },
    ...(execute === undefined ? {} : { execute }),
  };
}
