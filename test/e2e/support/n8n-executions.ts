import { parse } from 'flatted';
import type { IConnections, IDataObject, INode, INodeExecutionData, IRunData } from 'n8n-workflow';
import type { N8nRest } from './n8n-rest';
import { LONG_LIMIT_MS, until } from '../../support/until';

const POLL_MS = 100;
const ENDED = ['success', 'error', 'canceled', 'crashed'];

/** A workflow as its JSON file holds it. */
export interface WorkflowFile {
  readonly name?: string;
  readonly nodes: readonly INode[];
  readonly connections: IConnections;
  readonly settings?: IDataObject;
  readonly pinData?: IDataObject;
}

export interface CredentialFile {
  readonly name: string;
  /** For example `mediaServiceApi`. */
  readonly type: string;
  readonly data: IDataObject;
}

export interface Execution {
  readonly id: string;
  /** `success`, `error`, `canceled` or `crashed`; before the end `running` and others. */
  readonly status: string;
  /** By node name, one entry per run of the node. */
  readonly runData: IRunData;
  /** Everything that n8n stores of the execution's data, in its stored form. */
  readonly text: string;
  /** Output items of a node's newest run. */
  output(node: string, output?: number): INodeExecutionData[];
  /** The error that ended the execution. */
  readonly error: { readonly message: string; readonly description?: string | null } | undefined;
}

/** Stores a credential, and returns the entry for a node's `credentials`. */
export async function createCredential(
  rest: N8nRest,
  { name, type, data }: CredentialFile,
): Promise<{ id: string; name: string }> {
  const { id } = (await rest.request('POST', '/credentials', { name, type, data })) as { id: string };
  return { id, name };
}

/** Imports a workflow and sets its nodes' credentials by type. Returns its ID. */
export async function importWorkflow(
  rest: N8nRest,
  workflow: WorkflowFile,
  credentials: Readonly<Record<string, { readonly id: string; readonly name: string }>> = {},
): Promise<string> {
  const nodes = workflow.nodes.map((node) => withCredentials(node, credentials));
  const { id } = (await rest.request('POST', '/workflows', {
    name: workflow.name ?? 'Test',
    nodes,
    connections: workflow.connections,
    settings: { executionOrder: 'v1', ...workflow.settings },
    ...(workflow.pinData === undefined ? {} : { pinData: workflow.pinData }),
  })) as { id: string };
  return id;
}

function withCredentials(
  node: INode,
  credentials: Readonly<Record<string, { readonly id: string; readonly name: string }>>,
): INode {
  const named = Object.keys(node.credentials ?? {}).flatMap((type) => {
    const credential = credentials[type];
    return credential === undefined ? [] : [[type, credential] as const];
  });
  return { ...node, credentials: { ...node.credentials, ...Object.fromEntries(named) } };
}

/** Starts a workflow at a trigger, as the editor's button does. Returns the ID of the execution at once. */
export async function startExecution(rest: N8nRest, workflowId: string, trigger: string): Promise<string> {
  const answer = await rest.request('POST', `/workflows/${workflowId}/run`, {
    triggerToStartFrom: { name: trigger },
  });
  const { executionId } = answer as { executionId?: string };
  if (executionId === undefined)
    throw new Error(`n8n waits for a webhook instead: ${JSON.stringify(answer)}`);
  return executionId;
}

/** Runs a workflow from a trigger to its end. */
export async function runWorkflow(rest: N8nRest, workflowId: string, trigger = 'Start'): Promise<Execution> {
  return waitForExecution(rest, await startExecution(rest, workflowId, trigger));
}

/** Resolves once the execution has ended in any way. */
export async function waitForExecution(rest: N8nRest, id: string): Promise<Execution> {
  return until(
    `execution ${id} has ended`,
    () => readExecution(rest, id),
    ({ status }) => ENDED.includes(status),
    { limitMs: LONG_LIMIT_MS, pauseMs: POLL_MS },
  );
}

/** An execution as currently stored. */
export async function readExecution(rest: N8nRest, id: string): Promise<Execution> {
  const stored = (await rest.request('GET', `/executions/${id}`)) as {
    readonly status: string;
    readonly data?: string;
  };
  const { runData = {}, error } = resultOf(stored.data);
  return {
    id,
    status: stored.status,
    runData,
    text: stored.data ?? '',
    output: (node, output = 0) => runData[node]?.at(-1)?.data?.['main']?.[output] ?? [],
    error,
  };
}

/** A new execution has no data yet. */
function resultOf(stored: string | undefined): { runData?: IRunData; error?: Execution['error'] } {
  if (stored === undefined) return {};
  const data = parse(stored) as
    { resultData?: { runData?: IRunData; error?: Execution['error'] } } | undefined;
  return data?.resultData ?? {};
}

/** Ids of a workflow's executions, newest first. */
export async function executionsOf(rest: N8nRest, workflowId: string): Promise<string[]> {
  const filter = encodeURIComponent(JSON.stringify({ workflowId }));
  const { results } = (await rest.request('GET', `/executions?filter=${filter}&limit=100`)) as {
    results: { id: string }[];
  };
  return results.map(({ id }) => id);
}

/**
 * Publishes a workflow, so that its triggers run from now on. n8n does this after its answer. Resolves once its webhooks
 * answer, and its polling triggers have polled and their state is stored.
 */
export async function activateWorkflow(rest: N8nRest, workflowId: string): Promise<void> {
  const { versionId } = (await rest.request('GET', `/workflows/${workflowId}`)) as { versionId: string };
  await rest.request('POST', `/workflows/${workflowId}/activate`, { versionId });
  await publicationEnded(rest, workflowId, 'published');
}

/** Resolves once the triggers no longer run. Until then, publishing again changes nothing. */
export async function deactivateWorkflow(rest: N8nRest, workflowId: string): Promise<void> {
  await rest.request('POST', `/workflows/${workflowId}/deactivate`, {});
  await publicationEnded(rest, workflowId, 'not_published');
}

/** Resolves once n8n is not publishing the workflow. Rejects if that has another result. */
export async function publicationEnded(
  rest: N8nRest,
  workflowId: string,
  wanted: 'published' | 'not_published',
): Promise<void> {
  const publication = await until(
    `n8n has ended the publication of workflow ${workflowId}`,
    async () =>
      (await rest.request('GET', `/workflows/${workflowId}/publication-status`)) as { status: string },
    ({ status }) => status !== 'in_progress',
    { pauseMs: POLL_MS },
  );
  if (publication.status !== wanted)
    throw new Error(`The workflow is not ${wanted}: ${JSON.stringify(publication)}`);
}
