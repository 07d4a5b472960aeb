import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';

/** The HTTP door of a worker, and a token for one account. */
export class MediaServiceWorkerApi implements ICredentialType {
  name = 'mediaServiceWorkerApi';

  displayName = 'Media Service Worker API';

  icon: Icon = {
    light: 'file:../icons/mediaService.svg',
    dark: 'file:../icons/mediaService.dark.svg',
  };

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-media-service';

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'e.g. https://worker.example:8090',
      description: 'Address of the worker or gateway, as <code>media-service worker --http</code> prints it',
    },
    {
      displayName: 'Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'Made with <code>media-service tokens create</code> for one account of the worker',
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.token.trim()}}' } },
  };

  test: ICredentialTestRequest = {
    request: {
      url: '={{$credentials.url.trim().replace(/\\/+$/, "")}}/v1/uploads',
      qs: { limit: 1 },
      disableFollowRedirect: true,
      timeout: 30_000,
    },
    rules: [
      {
        type: 'responseCode',
        properties: {
          value: 401,
          message:
            'The worker does not accept this token. Make one with `media-service tokens create` on the worker.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 403,
          message:
            'The token may not read uploads, or its account is not served. Make one with the rights read, start and control.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 404,
          message: 'No worker answers at this URL, but something else. Check the URL.',
        },
      },
      {
        type: 'responseCode',
        properties: {
          value: 503,
          message: "The worker can't reach Temporal. Its log says more.",
        },
      },
      {
        type: 'responseSuccessBody',
        properties: {
          key: 'items',
          // A page of a web site has no list of uploads.
          value: undefined,
          message: 'No worker answers at this URL, but a web page. Check the URL.',
        },
      },
      // n8n takes rules of both kinds together; its type does not.
    ] as NonNullable<ICredentialTestRequest['rules']>,
  };
}
