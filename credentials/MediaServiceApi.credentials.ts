import { UserError } from 'n8n-workflow';
import type {
  Icon,
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  IDataObject,
  IHttpRequestHelper,
  IHttpRequestOptions,
  INodeProperties,
} from 'n8n-workflow';
import { logIn } from '../api/login/login';
import { n8nClock } from '../n8n/n8n-clock';
import { ConfigurationError } from '../api/errors';
import { requireAllowedDomain } from '../n8n/allowed-domains';
import { checkUploadUrl } from '../n8n/check-upload-url';
import { checkCredential, namedAsStored } from '../n8n/check-credential';
import { accountOfCredential } from '../n8n/credential-account';
import type { CredentialAccount } from '../n8n/credential-account';
import { sentenceOf } from '../n8n/error-words';
import { nameBaseUrl } from '../n8n/name-base-url';
import { createN8nTransport } from '../n8n/n8n-transport';

/** Header that marks the request of the credential test. It is removed before the request is sent. */
const TEST_MARK = 'x-credential-test';
const ADVANCED = { show: { advanced: [true] } };
const SEARCH_ADDRESS =
  '{{($credentials.environment === "rc" && $credentials.rcBaseUrl ? $credentials.rcBaseUrl : $credentials.baseUrl).trim().replace(/\\/+$/, "")}}/api/media/search';

/**
 * An account of the Media Service. Signs its own login. The token is only for n8n's HTTP Request node and the
 * credential test.
 */
export class MediaServiceApi implements ICredentialType {
  name = 'mediaServiceApi';

  displayName = 'Media Service API';

  icon: Icon = {
    light: 'file:../icons/mediaService.svg',
    dark: 'file:../icons/mediaService.dark.svg',
  };

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-media-service';

  properties: INodeProperties[] = [
    {
      displayName: 'Access Token',
      name: 'accessToken',
      type: 'hidden',
      typeOptions: { expirable: true, password: true },
      default: '',
    },
    {
      displayName: 'Upload URL Problem',
      name: 'uploadUrlProblem',
      type: 'hidden',
      default: '',
    },
    {
      displayName: 'Base URL',
      name: 'baseUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://api.media.example',
      description: 'Address of login, media search and webhook search, without the path of an operation',
    },
    {
      displayName: 'Environment',
      name: 'environment',
      type: 'options',
      default: 'production',
      options: [
        { name: 'Production', value: 'production' },
        { name: 'Release Candidate', value: 'rc' },
      ],
      description: 'Which of the upload URLs below to use',
    },
    {
      displayName: 'Upload URL (Production)',
      name: 'uploadUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://upload.media.example',
      displayOptions: { show: { environment: ['production'] } },
      description: 'Address of the upload operations, without /upload',
    },
    {
      displayName: 'Upload URL (Release Candidate)',
      name: 'rcUploadUrl',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://upload.rc.media.example',
      displayOptions: { show: { environment: ['rc'] } },
      description: 'Address of the upload operations of the release candidate, without /upload',
    },
    {
      displayName: 'Base URL (Release Candidate)',
      name: 'rcBaseUrl',
      type: 'string',
      default: '',
      placeholder: 'e.g. https://api.rc.media.example',
      displayOptions: { show: { environment: ['rc'] } },
      description: 'Only if the release candidate has its own address for login and search',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Issued by the operator of the service',
    },
    {
      displayName: 'Secret Key',
      name: 'secretKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Signs the login and seals upload addresses; it is never sent',
    },
    {
      displayName: 'External ID',
      name: 'externalId',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. acme-studio',
      description: 'External ID of the sub-account on whose behalf requests are made',
    },
    {
      displayName: 'Advanced Settings',
      name: 'advanced',
      type: 'boolean',
      default: false,
      description:
        "Whether to set details that the service's interface does not define. Workers have their own settings instead.",
    },
    {
      displayName: 'Mark Uploads with an Ingest Tag',
      name: 'useIngestTag',
      type: 'boolean',
      default: true,
      displayOptions: ADVANCED,
      description:
        'Whether each upload gets a tag with its ingest key. It finds an upload if the response to its start was lost.',
    },
    {
      displayName: 'Ingest Tag Name',
      name: 'ingestTag',
      type: 'string',
      default: 'ingestKey',
      displayOptions: { show: { advanced: [true], useIngestTag: [true] } },
    },
    {
      displayName: 'Additional URLs Request',
      name: 'additionalUrls',
      type: 'string',
      default: '',
      placeholder: 'e.g. POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
      displayOptions: ADVANCED,
      description:
        'How to ask for more pre-signed URLs: method, path and optional body in one line. Ask the operator of the service. Empty: no more URLs can be requested.',
    },
    {
      displayName: 'Complete Body',
      name: 'completeBody',
      type: 'string',
      default: '',
      placeholder: 'e.g. {"parts":{parts}}',
      displayOptions: ADVANCED,
      description:
        'Body of the request that completes an upload; {parts} is replaced by the list of parts. Empty: {"parts":{parts}}.',
    },
    {
      displayName: 'Max Parts',
      name: 'maxParts',
      type: 'number',
      typeOptions: { minValue: 1, maxValue: 120, numberPrecision: 0 },
      default: 120,
      displayOptions: ADVANCED,
      description: 'Max number of parts of an upload, if the service allows fewer than 120',
    },
    {
      displayName: 'Sort Separator',
      name: 'sortSeparator',
      type: 'string',
      default: ',',
      displayOptions: ADVANCED,
      description: 'Separator between property and direction when a media search is sorted. Empty: a comma.',
    },
    {
      displayName: 'Allow Plain HTTP',
      name: 'allowPlainHttp',
      type: 'boolean',
      default: false,
      displayOptions: ADVANCED,
      description:
        'Whether addresses may be http:// to other machines. Keys and tokens are then sent unencrypted.',
    },
  ];

  /** Makes the test fail if the upload URL does not answer. n8n's HTTP Request node can still search. */
  async authenticate(
    { accessToken, uploadUrlProblem }: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ): Promise<IHttpRequestOptions> {
    const { [TEST_MARK]: testing, ...headers } = request.headers ?? {};
    if (testing !== undefined && typeof uploadUrlProblem === 'string' && uploadUrlProblem !== '')
      throw new UserError(uploadUrlProblem);
    return {
      ...request,
      headers: { ...headers, Authorization: `Bearer ${typeof accessToken === 'string' ? accessToken : ''}` },
    };
  }

  test: ICredentialTestRequest = {
    request: {
      method: 'POST',
      url: `=${SEARCH_ADDRESS}`,
      qs: { size: 1 },
      headers: { 'content-type': 'application/json', accept: 'application/json', [TEST_MARK]: '1' },
      body: '{}',
      disableFollowRedirect: true,
      timeout: 30_000,
    },
    rules: [
      {
        type: 'responseCode',
        properties: {
          value: 401,
          message:
            'The login worked, but the media search refused its token. Ask the operator of the service.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 403,
          message:
            'The login worked, but this account may not search media. Ask the operator of the service.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 404,
          message: 'The login worked, but there is no media search at this base URL. Check the base URL.',
        },
      },
    ],
  };

  async preAuthentication(
    this: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
  ): Promise<IDataObject> {
    // Newer versions of n8n add the credential's domains to every request of this helper, and refuse requests that
    // already contain them.
    const transport = createN8nTransport(this.helpers);
    const loggingIn = async (): Promise<IDataObject> => {
      const given = accountOfCredential(credentials);
      const checked = checkCredential(given);
      requireAllowedDomain(credentials, checked.baseUrl);
      const { accessToken } = await logIn({ account: checked, transport, now: n8nClock.now() }).catch(
        (error: unknown) => {
          throw nameBaseUrl(error, given.fields.baseUrl);
        },
      );
      const uploadUrlProblem = await problemOf(given.fields, async () => {
        requireAllowedDomain(credentials, checked.uploadUrl);
        await checkUploadUrl(checked, transport, accessToken);
      });
      return { accessToken, uploadUrlProblem };
    };
    return loggingIn().catch((error: unknown) => {
      // Without a cause, because n8n would show the cause's code instead of the message.
      throw new UserError(sentenceOf(error));
    });
  }
}

/** Empty: the upload URL works. */
async function problemOf(fields: CredentialAccount['fields'], check: () => Promise<void>): Promise<string> {
  try {
    await check();
    return '';
  } catch (error) {
    return sentenceOf(error instanceof ConfigurationError ? namedAsStored(error, fields) : error);
  }
}
