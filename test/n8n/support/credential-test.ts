import { RoutingNode } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  INodeCredentialTestResult,
  INodeProperties,
  INodeType,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { MediaServiceApi } from '../../../credentials/MediaServiceApi.credentials';
import type { MediaServiceWorkerApi } from '../../../credentials/MediaServiceWorkerApi.credentials';
import { TestCredentialsHelper } from './credentials-helper';
import { executeContextOf } from './execute-context';
import { standIn } from './node-types';
import { nodeOf } from './run-workflow';

type TestedType = MediaServiceApi | MediaServiceWorkerApi;

/** n8n's answer to the credential's "Test" button, with the steps of its own tester (which is not published). */
export async function testCredential(
  data: ICredentialDataDecryptedObject,
  type: TestedType = new MediaServiceApi(),
): Promise<INodeCredentialTestResult> {
  const credentialsHelper = new TestCredentialsHelper({ [type.name]: data });
  const filled = credentialsHelper.withDefaults(type.name, data);
  const node = {
    ...nodeOf('Temp', 'n8n-nodes-base.noOp', { temp: '' }),
    credentials: { [type.name]: { id: 'c1', name: 'Test' } },
  };
  const nodeType = nodeTypeOf(type);
  const context = executeContextOf({ node, find: () => nodeType, credentialsHelper });
  const details = { id: 'c1', name: 'Test', type: type.name, data: filled };
  try {
    const output = await new RoutingNode(context, nodeType, details).runNode();
    const answer = output?.[0]?.[0]?.json ?? {};
    const wrong = (type.test.rules ?? []).find(
      (rule) => rule.type === 'responseSuccessBody' && answer[rule.properties.key] === rule.properties.value,
    );
    if (wrong !== undefined) return { status: 'Error', message: wrong.properties.message };
    return { status: 'OK', message: 'Connection successful!' };
  } catch (error) {
    return { status: 'Error', message: messageOf(error, type) };
  }
}

/** The node that n8n creates for the test of a credential by request. */
function nodeTypeOf(type: TestedType): INodeType {
  const temp: INodeProperties = {
    displayName: 'Temp',
    name: 'temp',
    type: 'string',
    default: '',
    routing: { request: type.test.request },
  };
  return standIn({ credentials: [{ name: type.name, required: true }], properties: [temp] });
}

interface CauseFacts {
  readonly response?: { readonly status?: number; readonly statusText?: string };
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}

/** Builds the message from an error of the test as n8n does. */
function messageOf(error: unknown, type: TestedType): string {
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
