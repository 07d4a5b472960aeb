import { ExecuteContext, RoutingNode } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  INodeCredentialTestResult,
  INodeProperties,
  INodeType,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError, Workflow, createRunExecutionData } from 'n8n-workflow';
import { MediaServiceApi } from '../../../credentials/MediaServiceApi.credentials';
import { TestCredentialsHelper } from './credentials-helper';
import { additionalDataOf, nodeOf } from './run-workflow';

/** What n8n answers to the button "Test" of the credential, by the steps of its own tester (which is not published). */
export async function testCredential(
  data: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
  const type = new MediaServiceApi();
  const credentialsHelper = new TestCredentialsHelper({ [type.name]: data });
  const filled = credentialsHelper.withDefaults(type.name, data);
  const context = contextOf(credentialsHelper, type.name);
  const details = { id: 'c1', name: 'Test', type: type.name, data: filled };
  try {
    await new RoutingNode(context, nodeTypeOf(type), details).runNode();
    return { status: 'OK', message: 'Connection successful!' };
  } catch (error) {
    return { status: 'Error', message: messageOf(error, type) };
  }
}

/** The node that n8n makes up for the test of a credential by request. */
function nodeTypeOf(type: MediaServiceApi): INodeType {
  const temp: INodeProperties = {
    displayName: 'Temp',
    name: 'temp',
    type: 'string',
    default: '',
    routing: { request: type.test.request },
  };
  return {
    description: {
      displayName: 'Temp',
      name: 'temp',
      group: ['input'],
      version: 1,
      description: '',
      defaults: { name: 'Temp' },
      inputs: ['main'],
      outputs: ['main'],
      credentials: [{ name: type.name, required: true }],
      properties: [temp],
    },
  };
}

function contextOf(credentialsHelper: TestCredentialsHelper, typeName: string): ExecuteContext {
  const node = {
    ...nodeOf('Temp', 'n8n-nodes-base.noOp', { temp: '' }),
    credentials: { [typeName]: { id: 'c1', name: 'Test' } },
  };
  const nodeType = nodeTypeOf(new MediaServiceApi());
  const find = (): INodeType => nodeType;
  const workflow = new Workflow({
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
  });
  const items = [{ json: {} }];
  const parts = { credentialsHelper, executionId: 'test', nodes: [node], connections: {}, messages: [] };
  return new ExecuteContext(
    workflow,
    node,
    additionalDataOf({ ...parts, mode: 'internal' }),
    'internal',
    createRunExecutionData({}),
    0,
    items,
    { main: [items] },
    { node, data: { main: [items] }, source: null },
    [],
  );
}

interface CauseFacts {
  readonly response?: { readonly status?: number; readonly statusText?: string };
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}

/** As n8n makes a message of what the test threw. */
function messageOf(error: unknown, type: MediaServiceApi): string {
  if (!(error instanceof NodeApiError) && !(error instanceof NodeOperationError)) return String(error);
  const facts = (error.cause ?? {}) as CauseFacts;
  if (facts.response !== undefined) {
    const { status, statusText } = facts.response;
    const rule = type.test.rules?.find(
      (one) => one.type === 'responseCode' && one.properties.value === status,
    );
    return rule?.properties.message ?? statusText ?? `Received HTTP status code: ${String(status)}`;
  }
  return facts.code ?? facts.cause?.code ?? error.message;
}
