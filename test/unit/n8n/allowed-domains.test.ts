import type { IHttpRequestHelper, IHttpRequestOptions } from 'n8n-workflow';
import { MediaServiceApi } from '../../../credentials/MediaServiceApi.credentials';

/** The hosts that the credential's login reaches in an n8n that restricts nothing itself. */
async function hostsReached(own: object): Promise<readonly string[]> {
  const hosts: string[] = [];
  const httpRequest = async ({ url }: IHttpRequestOptions): Promise<never> => {
    hosts.push(new URL(url).host);
    throw new Error('nobody answers');
  };
  const context = { helpers: { httpRequest } } as unknown as IHttpRequestHelper;
  const credential = {
    ...{ baseUrl: 'https://api.example', uploadUrl: 'https://upload.example', externalId: 'Studio 1' },
    ...{ apiKey: 'the-api-key', secretKey: 'the-secret-key', ...own },
  };
  await new MediaServiceApi().preAuthentication.call(context, credential).catch(() => undefined);
  return hosts;
}

it.each([
  ['any', {}, ['api.example']],
  ['the listed', { allowedHttpRequestDomains: 'domains', allowedDomains: '*.example' }, ['api.example']],
  ['no other', { allowedHttpRequestDomains: 'domains', allowedDomains: 'media.test' }, []],
  ['no', { allowedHttpRequestDomains: 'domains', allowedDomains: ' ' }, []],
])(
  'a credential sends its key to %s domain, whether n8n restricts its login or not',
  async (_what, own, hosts) => {
    expect(await hostsReached(own)).toEqual(hosts);
  },
);
