import { randomUUID } from 'node:crypto';
import { Container } from '@n8n/di';
import { ExecutionLifecycleHooks, ExternalSecretsProxy, WorkflowExecute } from 'n8n-core';
import type {
  IConnections,
  IDataObject,
  IExecuteFunctions,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeTypes,
  IRun,
  IWorkflowExecuteAdditionalData,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { given } from '../../../api/json';
import { MediaService } from '../../../nodes/MediaService/MediaService.node';
import { TestCredentialsHelper } from './credentials-helper';
import type { StoredCredentials } from './credentials-helper';
import { nodeTypes, standIn } from './node-types';

export const NODE_TYPE = 'n8n-nodes-media-service.mediaService';

export interface WorkflowRun {
  readonly nodes: INode[];
  readonly connections: IConnections;
  readonly credentials: StoredCredentials;
  /** Items that nodes other than ours return, by node name. By default they pass their input on. */
  readonly given?: Readonly<Record<string, INodeExecutionData[]>>;
  /** Default `trigger`: runs as an active workflow. */
  readonly mode?: WorkflowExecuteMode;
  readonly timezone?: string;
  /** Files are fields of `json`, below `_files`: newer workflows may have it so. */
  readonly binaryMode?: 'combined';
  readonly executionId?: string;
  readonly restApiUrl?: string;
  /** Where resume URLs lead. */
  readonly webhookWaitingBaseUrl?: string;
  /** Cancels the execution, as the Stop button does. */
  readonly signal?: AbortSignal;
  /** Called with each message to the editor's console, as JSON. */
  readonly onMessage?: (text: string) => void;
}

export interface FinishedRun {
  readonly run: IRun;
  /** Output items of a node's first run, for one output. */
  output(node: string, output?: number): INodeExecutionData[];
  /** Messages to the editor's console. */
  readonly messages: IDataObject[];
  /** The credentials as stored after the run. */
  readonly storedCredentials: StoredCredentials;
  /** To continue an execution that rests. */
  readonly workflow: Workflow;
  readonly additionalData: IWorkflowExecuteAdditionalData;
}

/** Runs a workflow through n8n-core's own engine, with its request helpers and binary data service. */
export async function runWorkflow(request: WorkflowRun): Promise<FinishedRun> {
  const { nodes, connections, mode = 'trigger', signal, timezone, binaryMode } = request;
  const executionId = request.executionId ?? `execution-${randomUUID()}`;
  const workflow = new Workflow({
    id: 'workflow-1',
    name: 'Test',
    nodes,
    connections,
    active: false,
    nodeTypes: nodeTypesOf(request.given ?? {}),
    settings: {
      executionOrder: 'v1',
      ...given({ timezone, binaryMode }),
    },
  });
  const credentialsHelper = new TestCredentialsHelper(request.credentials);
  const messages: IDataObject[] = [];
  const additionalData = additionalDataOf({ credentialsHelper, executionId, mode, nodes, connections });
  const { restApiUrl, webhookWaitingBaseUrl } = request;
  Object.assign(additionalData, given({ restApiUrl, webhookWaitingBaseUrl }));
  additionalData.sendDataToUI = (_type, data) => {
    messages.push(...[data].flat());
    request.onMessage?.(JSON.stringify(data));
  };
  const running = new WorkflowExecute(additionalData, mode).run({ workflow });
  signal?.addEventListener('abort', () => running.cancel('cancelled by the test'), { once: true });
  const run = await running;
  return {
    run,
    workflow,
    additionalData,
    messages,
    storedCredentials: credentialsHelper.stored,
    output: (node, output = 0) => run.data.resultData.runData[node]?.[0]?.data?.['main']?.[output] ?? [],
  };
}

export interface NodeRun extends Omit<WorkflowRun, 'nodes' | 'connections' | 'given'> {
  readonly parameters: INodeParameters;
  /** Default: one empty item. */
  readonly items?: INodeExecutionData[];
  readonly onError?: NonNullable<INode['onError']>;
  /** "Execute Once" of the node before ours, which gives all items nevertheless. */
  readonly afterOnce?: boolean;
  /** "Retry On Fail" of the node: two tries, without a pause. */
  readonly retryOnFail?: boolean;
}

/** Runs only our node, after a trigger that returns the items. */
export async function runNode({
  parameters,
  items,
  onError,
  retryOnFail,
  afterOnce = false,
  ...rest
}: NodeRun): Promise<
  FinishedRun & {
    readonly items: INodeExecutionData[];
    readonly errorItems: INodeExecutionData[];
    /** The error that ended the run. */
    readonly error: { readonly message: string; readonly description?: string | null } | undefined;
  }
> {
  const start = { ...nodeOf('Start', 'n8n-nodes-base.manualTrigger', {}), executeOnce: afterOnce };
  const node: INode = {
    ...nodeOf('Media Service', NODE_TYPE, parameters),
    credentials: Object.fromEntries(
      Object.keys(rest.credentials).map((type) => [type, { id: type, name: type }]),
    ),
    ...given({ onError }),
    ...(retryOnFail === true ? { retryOnFail, maxTries: 2, waitBetweenTries: 0 } : {}),
  };
  const finished = await runWorkflow({
    ...rest,
    nodes: [start, node],
    connections: { Start: { main: [[{ node: 'Media Service', type: 'main', index: 0 }]] } },
    given: { Start: items ?? [{ json: {} }] },
  });
  return {
    ...finished,
    items: finished.output('Media Service'),
    errorItems: finished.output('Media Service', 1),
    error: errorOf(finished.run),
  };
}

/** What the editor shows under the node's output. */
export function hintTexts({ run }: Pick<FinishedRun, 'run'>): string[] {
  return (run.data.resultData.runData['Media Service']?.[0]?.hints ?? []).map(({ message }) => message);
}

function errorOf({ data }: IRun): { message: string; description?: string | null } | undefined {
  const { error } = data.resultData;
  if (error === undefined) return undefined;
  const fields: object = error;
  return { ...fields, message: error.message };
}

export function nodeOf(name: string, type: string, parameters: INodeParameters): INode {
  return { id: `id-of-${name}`, name, type, typeVersion: 1, position: [0, 0], parameters };
}

/** Everything that n8n would store of a run, as one text. */
export function storedText(run: IRun): string {
  const seen = new WeakSet();
  return JSON.stringify(run, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value instanceof Error
      ? Object.fromEntries(Object.getOwnPropertyNames(value).map((name) => [name, Reflect.get(value, name)]))
      : value;
  });
}

/** Our node, and nodes that give these items, by node name, or else pass their input on. */
function nodeTypesOf(given: Readonly<Record<string, INodeExecutionData[]>>): INodeTypes {
  const ours = new MediaService();
  const other = standIn({}, function (this: IExecuteFunctions) {
    return Promise.resolve([structuredClone(given[this.getNode().name] ?? this.getInputData())]);
  });
  return nodeTypes((type) => (type.endsWith('.mediaService') ? ours : other));
}

interface AdditionalParts {
  readonly credentialsHelper: TestCredentialsHelper;
  readonly executionId: string;
  readonly mode: WorkflowExecuteMode;
  readonly nodes: INode[];
  readonly connections?: IConnections;
}

/** What n8n's server gives an execution. Everything that our node does not use throws. */
export function additionalDataOf(parts: AdditionalParts): IWorkflowExecuteAdditionalData {
  const { credentialsHelper, executionId, mode, nodes, connections = {} } = parts;
  const workflowData = {
    id: 'workflow-1',
    name: 'Test',
    nodes,
    connections,
    active: false,
    activeVersionId: null,
    isArchived: false,
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
  const refuse = (): never => {
    throw new Error('The test has no such thing.');
  };
  return {
    credentialsHelper,
    executionId,
    hooks: new ExecutionLifecycleHooks(mode, executionId, workflowData),
    currentNodeExecutionIndex: 0,
    restApiUrl: 'http://127.0.0.1:5678/rest',
    instanceBaseUrl: 'http://127.0.0.1:5678/',
    formBaseUrl: 'http://127.0.0.1:5678/formBaseUrl',
    formWaitingBaseUrl: 'http://127.0.0.1:5678/formWaitingBaseUrl',
    formTestBaseUrl: 'http://127.0.0.1:5678/formTestBaseUrl',
    webhookBaseUrl: 'http://127.0.0.1:5678/webhookBaseUrl',
    webhookWaitingBaseUrl: 'http://127.0.0.1:5678/webhookWaitingBaseUrl',
    webhookTestBaseUrl: 'http://127.0.0.1:5678/webhookTestBaseUrl',
    mcpBaseUrl: 'http://127.0.0.1:5678/mcpBaseUrl',
    mcpTestBaseUrl: 'http://127.0.0.1:5678/mcpTestBaseUrl',
    variables: {},
    externalSecretsProxy: Container.get(ExternalSecretsProxy),
    executeWorkflow: refuse,
    getRunExecutionData: refuse,
    getRuntimeCredential: refuse,
    startRunnerTask: refuse,
    logAiEvent: () => undefined,
  };
}
