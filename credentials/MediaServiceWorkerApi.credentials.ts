import type {
  IAuthenticateGeneric,
  Icon,
  ICredentialTestRequest,
  ICredentialType,
  INodeProperties,
} from 'n8n-workflow';
import { field } from '../n8n/form-fields';

/** What the test says of a status. */
const REFUSALS = [
  [401, 'The worker does not accept this token. Make one with `media-service tokens create` on the worker.'],
  [
    403,
    'The token may not read uploads, or its account is not served. Make one with the rights read, start and control.',
  ],
  [404, 'No worker answers at this URL, but something else. Check the URL.'],
  [503, "The worker can't reach Temporal. Its log says more."],
] as const;

/** The HTTP door of a worker, and a token for one account. */
export class MediaServiceWorkerApi implements ICredentialType {
  name = 'mediaServiceWorkerApi';

  displayName = 'Media Service Worker API';

  icon: Icon = {
    light: 'file:../icons/mediaService.svg',
    dark: 'file:../icons/mediaService.dark.svg',
  };

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-media-service#media-service-worker-api';

  properties: INodeProperties[] = [
    field('url', {
      required: true,
      placeholder: 'e.g. https://worker.example:8090',
      description: 'Address of the worker or gateway, as <code>media-service worker --http</code> prints it',
    }),
    field('token', {
      typeOptions: { password: true },
      required: true,
      description: 'Made with <code>media-service tokens create</code> for one account of the worker',
    }),
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
      ...REFUSALS.map(([value, message]) => ({ type: 'responseCode', properties: { value, message } })),
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
