import type { INodeProperties } from 'n8n-workflow';
import { field } from '../../../../n8n/form-fields';
import { BY_WORKER } from './run-in';

/** Where the file of an upload is. */
export const SOURCE_PARAMETERS: INodeProperties[] = [
  field('source', {
    type: 'options',
    default: 'binary',
    options: [
      { name: 'Binary Data', value: 'binary', description: 'A file of the input item' },
      {
        name: 'Path',
        value: 'path',
        description: 'A file that the worker can read',
        displayOptions: BY_WORKER,
      },
      { name: 'URL', value: 'url', description: 'A file behind http or https' },
    ],
  }),
  field('url', {
    required: true,
    placeholder: 'e.g. https://files.example.com/kitchen.mp4',
    displayOptions: { show: { source: ['url'] } },
    description: 'Address of the file. Pre-signed addresses are fine: workers store them only encrypted.',
  }),
  field('path', {
    required: true,
    placeholder: 'e.g. /media/incoming/kitchen.mp4',
    displayOptions: { show: { source: ['path'], ...BY_WORKER.show } },
    description: 'Path of the file as the worker sees it, inside its MEDIA_SERVICE_FILE_ROOTS',
  }),
  field('host', {
    placeholder: 'e.g. ingest-01',
    displayOptions: { show: { source: ['path'], ...BY_WORKER.show } },
    description:
      'Machine that the file is on, by its MEDIA_SERVICE_HOST or host name. Empty: the machine of the worker that answers. *: every worker mounts it at this path.',
  }),
  field('binaryPropertyName', {
    required: true,
    default: 'data',
    displayOptions: { show: { source: ['binary'] } },
    hint: 'The name of the input binary field containing the file to be uploaded',
    description: 'A worker gets a stored file from n8n, at the address in WEBHOOK_URL or N8N_HOST',
  }),
];
