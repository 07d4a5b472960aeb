import { UserError } from 'n8n-workflow';
import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialDataDecryptedObject,
  ICredentialTestRequest,
  ICredentialType,
  IDataObject,
  IHttpRequestHelper,
  INodeProperties,
} from 'n8n-workflow';
import { logIn } from '../api/login/login';
import { n8nClock } from '../n8n/n8n-clock';
import { withinDomains } from '../n8n/allowed-domains';
import { checkUploadUrl } from '../n8n/check-upload-url';
import { checkCredential } from '../n8n/credential-account';
import { field, switchField } from '../n8n/form-fields';
import { sentenceOf } from '../n8n/error-words';
import { createN8nTransport } from '../n8n/n8n-transport';

/** What the test says of a status. */
const REFUSALS = [
  [401, 'The login worked, but the media search refused its token. Ask the operator of the service.'],
  [403, 'The login worked, but this account may not search media. Ask the operator of the service.'],
  [404, 'The login worked, but there is no media search at this base URL. Check the base URL.'],
] as const;
const ADVANCED = { show: { advanced: [true] } };

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

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-media-service#media-service-api';

  properties: INodeProperties[] = [
    {
      displayName: 'Access Token',
      name: 'accessToken',
      type: 'hidden',
      typeOptions: { expirable: true, password: true },
      default: '',
    },
    field('baseUrl', {
      required: true,
      placeholder: 'e.g. https://api.media.example',
      description: 'Address of login, media search and webhook search, without the path of an operation',
    }),
    field('uploadUrl', {
      required: true,
      placeholder: 'e.g. https://upload.media.example',
      description: 'Address of the upload operations, without /upload',
    }),
    field('apiKey', {
      typeOptions: { password: true },
      required: true,
      description: 'Issued by the operator of the service',
    }),
    field('secretKey', {
      typeOptions: { password: true },
      required: true,
      description: 'Signs the login and seals upload addresses; it is never sent',
    }),
    field('externalId', {
      required: true,
      placeholder: 'e.g. acme-studio',
      description: 'External ID of the sub-account on whose behalf requests are made',
    }),
    switchField('advanced', {
      description:
        "Whether to set details that the service's interface does not define. Workers have their own settings instead.",
    }),
    switchField('useIngestTag', {
      default: true,
      displayOptions: ADVANCED,
      description:
        'Whether each upload gets a tag with its ingest key. It finds an upload if the response to its start was lost.',
    }),
    field('ingestTag', {
      default: 'ingestKey',
      displayOptions: { show: { advanced: [true], useIngestTag: [true] } },
    }),
    field('additionalUrls', {
      placeholder: 'e.g. POST /upload/{uploadId}/urls {"partNumbers":{partNumbers}}',
      displayOptions: ADVANCED,
      description:
        'How to ask for more pre-signed URLs: method, path and optional body in one line. Ask the operator of the service. Empty: no more URLs can be requested.',
    }),
    field('completeBody', {
      placeholder: 'e.g. {"parts":{parts}}',
      displayOptions: ADVANCED,
      description:
        'Body of the request that completes an upload; {parts} is replaced by the list of parts. Empty: {"parts":{parts}}.',
    }),
    field('maxParts', {
      type: 'number',
      typeOptions: { minValue: 1, maxValue: 120, numberPrecision: 0 },
      default: 120,
      displayOptions: ADVANCED,
      description: 'Max number of parts of an upload, if the service allows fewer than 120',
    }),
    field('sortSeparator', {
      default: ',',
      displayOptions: ADVANCED,
      description: 'Separator between property and direction when a media search is sorted. Empty: a comma.',
    }),
    switchField('allowPlainHttp', {
      displayOptions: ADVANCED,
      description:
        'Whether addresses may be http:// to other machines. Keys and tokens are then sent unencrypted.',
    }),
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.accessToken}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      method: 'POST',
      url: '={{$credentials.baseUrl.trim().replace(/\\/+$/, "")}}/api/media/search',
      qs: { size: 1 },
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: '{}',
      disableFollowRedirect: true,
      timeout: 30_000,
    },
    rules: REFUSALS.map(([value, message]) => ({ type: 'responseCode', properties: { value, message } })),
  };

  /** Logs in, and refuses an upload URL at which the first upload would fail. */
  async preAuthentication(
    this: IHttpRequestHelper,
    credentials: ICredentialDataDecryptedObject,
  ): Promise<IDataObject> {
    try {
      // n8n refuses requests of this helper that contain the credential's domains, because it adds them itself.
      const transport = createN8nTransport(withinDomains(this.helpers, credentials));
      const account = checkCredential(credentials);
      const accessToken = await logIn({ account, transport, now: n8nClock.now() });
      await checkUploadUrl(account, transport, accessToken);
      return { accessToken };
    } catch (error) {
      // Without a cause, because n8n would show the cause's code instead of the message.
      throw new UserError(sentenceOf(error));
    }
  }
}
