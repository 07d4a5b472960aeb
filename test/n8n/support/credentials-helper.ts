import type {
  ICredentialDataDecryptedObject,
  ICredentialType,
  ICredentials,
  IExecuteData,
  IHttpRequestHelper,
  IHttpRequestOptions,
  INode,
  INodeCredentialsDetails,
  INodeParameters,
  INodeProperties,
  IRequestOptionsSimplified,
  IWorkflowExecuteAdditionalData,
  Workflow,
  WorkflowExecuteMode,
} from 'n8n-workflow';
import {
  ICredentialsHelper,
  NodeHelpers,
  UserError,
  getCredentialOwnRequestAllowedDomains,
  injectDomainRestrictionFields,
} from 'n8n-workflow';
import { asText } from './as-text';
import { MediaServiceApi } from '../../../credentials/MediaServiceApi.credentials';
import { MediaServiceWorkerApi } from '../../../credentials/MediaServiceWorkerApi.credentials';

const TYPES = [new MediaServiceApi(), new MediaServiceWorkerApi()] as const;

export type StoredCredentials = Readonly<Record<string, ICredentialDataDecryptedObject>>;

/**
 * Does for our credential types what n8n's own helper does (it is not published). It fills in defaults and resolves the
 * expressions of a generic authenticate. It runs preAuthentication if the expirable property is empty, expired or under
 * test, and stores its result.
 */
export class TestCredentialsHelper extends ICredentialsHelper {
  /** By name of the credential type. */
  readonly stored: Record<string, ICredentialDataDecryptedObject>;

  constructor(stored: StoredCredentials) {
    super();
    this.stored = structuredClone(stored);
  }

  getParentTypes(): string[] {
    return [];
  }

  isCredentialUsableByNode(): boolean {
    return true;
  }

  getCredentials(): Promise<ICredentials> {
    return Promise.reject(new Error('Not needed here.'));
  }

  async getDecrypted(
    _additionalData: IWorkflowExecuteAdditionalData,
    _details: INodeCredentialsDetails,
    type: string,
    _mode: WorkflowExecuteMode,
    _executeData?: IExecuteData,
    raw?: boolean,
  ): Promise<ICredentialDataDecryptedObject> {
    const data = this.stored[type];
    if (data === undefined) throw new Error(`No credential of type ${type} is stored.`);
    return raw === true ? data : this.withDefaults(type, data);
  }

  /** Fills in what the form did not store, as n8n does. */
  withDefaults(type: string, data: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
    const filled: unknown = NodeHelpers.getNodeParameters(
      this.getCredentialsProperties(type),
      structuredClone(data) as INodeParameters,
      true,
      false,
      null,
      null,
    );
    return { ...(filled as ICredentialDataDecryptedObject) };
  }

  getCredentialsProperties(type: string): INodeProperties[] {
    return injectDomainRestrictionFields(typeOf(type));
  }

  async preAuthentication(
    helpers: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
    node: INode,
    expired: boolean,
  ): Promise<ICredentialDataDecryptedObject | undefined> {
    const type: ICredentialType = typeOf(typeName);
    const expirable = type.properties.find(
      ({ type: kind, typeOptions }) => kind === 'hidden' && typeOptions?.expirable === true,
    );
    if (expirable === undefined || type.preAuthentication === undefined) return undefined;
    const testing = node.parameters['temp'] === '' && node.type === 'n8n-nodes-base.noOp';
    if (credentials[expirable.name] !== '' && !expired && !testing) return undefined;
    const output = await type.preAuthentication.call(restricted(helpers, credentials), credentials);
    if (output[expirable.name] === undefined || node.credentials === undefined) return undefined;
    Object.assign(credentials, output);
    this.stored[typeName] = { ...credentials };
    return credentials;
  }

  async runPreAuthentication(): Promise<ICredentialDataDecryptedObject | undefined> {
    return undefined;
  }

  async authenticate(
    credentials: ICredentialDataDecryptedObject,
    typeName: string,
    requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
    workflow: Workflow,
    node: INode,
  ): Promise<IHttpRequestOptions> {
    const { authenticate } = typeOf(typeName);
    const options = requestOptions as IHttpRequestOptions;
    const headers: Record<string, unknown> = {};
    for (const [name, value] of Object.entries<unknown>(authenticate.properties.headers ?? {})) {
      headers[name] = workflow.expression.getSimpleParameterValue(node, asText(value), 'internal', {
        $credentials: credentials,
      });
    }
    return { ...options, headers: { ...options.headers, ...headers } } as IHttpRequestOptions;
  }

  updateCredentials(): Promise<void> {
    return Promise.resolve();
  }

  updateCredentialsOauthTokenData(): Promise<void> {
    return Promise.resolve();
  }
}

/** Restricts requests to the credential's domains, as n8n does in its authentication. */
function restricted(
  { helpers }: IHttpRequestHelper,
  credentials: ICredentialDataDecryptedObject,
): IHttpRequestHelper {
  const allowedDomains = getCredentialOwnRequestAllowedDomains(credentials);
  if (allowedDomains === undefined) return { helpers };
  return {
    helpers: {
      httpRequest(request) {
        if (request.allowedDomains !== undefined) throw new UserError('The domains come from n8n alone.');
        return helpers.httpRequest({ ...request, allowedDomains });
      },
    },
  };
}

function typeOf(name: string): (typeof TYPES)[number] {
  const found = TYPES.find((type) => type.name === name);
  if (found === undefined) throw new Error(`There is no credential type ${name}.`);
  return found;
}
