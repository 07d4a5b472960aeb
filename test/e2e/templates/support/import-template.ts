import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INode, INodeParameters } from 'n8n-workflow';
import { ROOT } from '../../../support/pack';
import { until } from '../../../support/until';
import { importWorkflow } from '../../support/n8n-executions';
import type { WorkflowFile } from '../../support/n8n-executions';
import { NODE_TYPE } from '../../support/n8n-stage';
import type { Stage, StoredCredentials } from '../../support/n8n-stage';

const OURS = ['mediaServiceApi', 'mediaServiceWorkerApi'];

/** The credentials that a user can choose for each node. */
const CREDENTIALS_OF: Readonly<Record<string, readonly string[]>> = {
  [NODE_TYPE]: OURS,
  [`${NODE_TYPE}Tool`]: OURS,
  [`${NODE_TYPE}Trigger`]: OURS,
  '@n8n/n8n-nodes-langchain.mcpTrigger': ['httpBearerAuth'],
  'n8n-nodes-base.emailSend': ['smtp'],
  '@n8n/n8n-nodes-langchain.lmChatOpenAi': ['openAiApi'],
};

export interface FilledIn {
  /** Parameters that a user changes, by node name; the others stay as in the file. */
  readonly parameters?: Readonly<Record<string, INodeParameters>>;
  /** Added to those of the stage. */
  readonly credentials?: StoredCredentials;
}

export async function readTemplate(file: string): Promise<WorkflowFile> {
  return JSON.parse(await readFile(join(ROOT, 'workflows', file), 'utf8')) as WorkflowFile;
}

/**
 * Imports a template and follows its notes: chooses credentials, and fills in the parameters that they name. Only the
 * pause between a node's tries is shorter. Returns the workflow's ID.
 */
export async function importTemplate(stage: Stage, file: string, filledIn: FilledIn = {}): Promise<string> {
  const template = await readTemplate(file);
  const { parameters = {}, credentials = {} } = filledIn;
  for (const name of Object.keys(parameters)) {
    if (!template.nodes.some((node) => node.name === name)) throw new Error(`${file} has no node ${name}.`);
  }
  const known = Object.entries({ ...stage.credentials, ...credentials });
  const nodes = template.nodes.map((node): INode => {
    const types = CREDENTIALS_OF[node.type] ?? [];
    return {
      ...node,
      parameters: { ...node.parameters, ...parameters[node.name] },
      ...(node.retryOnFail === true ? { waitBetweenTries: 1 } : {}),
      credentials: Object.fromEntries(known.filter(([type]) => types.includes(type))),
    };
  });
  return importWorkflow(stage.n8n.rest, { ...template, nodes });
}

/** The parameters of a template's Edit Fields node, with other values for its fields. */
export async function withValues(
  file: string,
  nodeName: string,
  values: Readonly<Record<string, string>>,
): Promise<INodeParameters> {
  const { nodes } = await readTemplate(file);
  const { assignments } = nodes.find(({ name }) => name === nodeName)?.parameters as {
    assignments: { assignments: { name: string; type: string }[] };
  };
  const fields = assignments.assignments.map((one) => ({ ...one, value: values[one.name] ?? '' }));
  return { assignments: { assignments: fields } };
}

/** Resolves once Temporal's index, which is updated late, shows the end of an upload or a batch. */
export async function listedAsEnded(stage: Stage, resource: 'upload' | 'batch', id: unknown): Promise<void> {
  await until(
    `${String(id)} is listed as ended`,
    async () => {
      const items = await stage.run({ resource, operation: 'getMany', returnAll: true });
      return items.find(({ json }) => (json['batchId'] ?? json['workflowId']) === id)?.json['status'];
    },
    (status) => status !== undefined && status !== 'RUNNING',
  );
}
