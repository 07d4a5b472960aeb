import type { ICredentialType, INodeProperties, Icon } from 'n8n-workflow';

/** The address of Temporal and its credentials. The node tests it, because Temporal speaks gRPC. */
export class TemporalApi implements ICredentialType {
  name = 'mediaServiceTemporalApi';

  displayName = 'Temporal API';

  icon: Icon = {
    light: 'file:../icons/temporal.svg',
    dark: 'file:../icons/temporal.dark.svg',
  };

  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-media-service';

  properties: INodeProperties[] = [
    {
      displayName: 'Address',
      name: 'address',
      type: 'string',
      required: true,
      default: 'localhost:7233',
      placeholder: 'e.g. my-namespace.a1b2c.tmprl.cloud:7233',
      description: 'Host and port of the Temporal frontend',
    },
    {
      displayName: 'Namespace',
      name: 'namespace',
      type: 'string',
      required: true,
      default: 'default',
    },
    {
      displayName: 'Authentication',
      name: 'authentication',
      type: 'options',
      default: 'none',
      options: [
        { name: 'API Key', value: 'apiKey' },
        { name: 'Client Certificate (mTLS)', value: 'mtls' },
        { name: 'None', value: 'none' },
      ],
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      required: true,
      default: '',
      displayOptions: { show: { authentication: ['apiKey'] } },
    },
    {
      displayName: 'Client Certificate',
      name: 'clientCertificate',
      type: 'string',
      typeOptions: { password: true, rows: 4 },
      required: true,
      default: '',
      displayOptions: { show: { authentication: ['mtls'] } },
      placeholder: 'e.g. -----BEGIN CERTIFICATE-----…',
      description: 'The text of the PEM file, pasted in full',
    },
    {
      displayName: 'Client Private Key',
      name: 'clientPrivateKey',
      type: 'string',
      typeOptions: { password: true, rows: 4 },
      required: true,
      default: '',
      displayOptions: { show: { authentication: ['mtls'] } },
      placeholder: 'e.g. -----BEGIN PRIVATE KEY-----…',
      description: 'The text of the PEM file, pasted in full',
    },
    {
      displayName: 'Use TLS',
      name: 'tls',
      type: 'boolean',
      default: false,
      displayOptions: { show: { authentication: ['none'] } },
      description:
        'Whether the connection is encrypted; with an API key or a client certificate it always is',
    },
    {
      displayName: 'Server CA Certificate',
      name: 'serverCaCertificate',
      type: 'string',
      typeOptions: { password: true, rows: 4 },
      default: '',
      description: 'PEM text of the issuer to trust. Empty: the issuers that Node.js trusts.',
    },
    {
      displayName: 'Server Name',
      name: 'serverName',
      type: 'string',
      default: '',
      description: 'Name in the certificate of the server, if it differs from the host of the address',
    },
    {
      displayName: 'Task Queue Prefix',
      name: 'taskQueuePrefix',
      type: 'string',
      required: true,
      default: 'media-service',
      description: 'The same as that of the workers (MEDIA_SERVICE_QUEUE_PREFIX)',
    },
    {
      displayName: 'Shared Folder',
      name: 'sharedFolder',
      type: 'string',
      default: '',
      placeholder: 'e.g. /mnt/media-handover',
      description:
        'Folder that n8n and the workers mount at the same path, for binary data. It must be inside MEDIA_SERVICE_FILE_ROOTS of both. Empty: the worker fetches binary data from n8n.',
    },
    {
      displayName: 'Codec Key',
      name: 'codecSecretKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      description:
        'Encrypts what Temporal stores; the same as MEDIA_SERVICE_CODEC_KEY of the workers. Empty: not encrypted (secrets and upload addresses are always sealed).',
    },
  ];
}
