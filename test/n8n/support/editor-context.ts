import { LoadOptionsContext } from 'n8n-core';
import type {
  ICredentialDataDecryptedObject,
  INodeListSearchResult,
  INodeParameters,
  INodeType,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { MediaService } from '../../../nodes/MediaService/MediaService.node';
import { TestCredentialsHelper } from './credentials-helper';
import { NODE_TYPE, additionalDataOf, nodeOf } from './run-workflow';

export interface EditorRequest {
  readonly credential: ICredentialDataDecryptedObject;
  /** The parameters in the form. */
  readonly parameters?: INodeParameters;
  /** Path of the field whose list is opened, as the editor sends it. */
  readonly path?: string;
  readonly typed?: string;
  readonly paginationToken?: string;
}

/** Requests a list of choices from our node, as the editor does while a form is filled in. */
export async function choose(
  method: keyof MediaService['methods']['listSearch'],
  request: EditorRequest,
): Promise<INodeListSearchResult> {
  const { listSearch } = new MediaService().methods;
  // n8n-core's context has looser types than n8n-workflow's.
  const answer: unknown = await Reflect.apply(listSearch[method], contextOf(request), [
    request.typed,
    request.paginationToken,
  ]);
  return answer as INodeListSearchResult;
}

function contextOf({ credential, parameters = {}, path = '' }: EditorRequest): LoadOptionsContext {
  const node = {
    ...nodeOf('Media Service', NODE_TYPE, parameters),
    credentials: { mediaServiceApi: { id: 'c', name: 'c' } },
  };
  const find = (): INodeType => new MediaService();
  const workflow = new Workflow({
    nodes: [node],
    connections: {},
    active: false,
    nodeTypes: { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) },
  });
  const additionalData = additionalDataOf({
    credentialsHelper: new TestCredentialsHelper({ mediaServiceApi: credential }),
    executionId: 'none',
    mode: 'internal',
    nodes: [node],
    connections: {},
    messages: [],
  });
  additionalData.currentNodeParameters = parameters;
  return new LoadOptionsContext(workflow, node, additionalData, path);
}
