import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { batchColumns } from './batch/columns';
import { LIST_SEARCH } from './locator';
import { resourceProperties } from './operation';
import { RESUME_WEBHOOKS, resume } from './rest';
import { RESOURCES } from './resources';
import { route } from './router';

export class MediaService implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Media Service',
    name: 'mediaService',
    icon: { light: 'file:../../icons/mediaService.svg', dark: 'file:../../icons/mediaService.dark.svg' },
    group: ['transform'],
    // A change that breaks stored workflows needs the next number.
    version: [1],
    defaultVersion: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Search media, report on webhook deliveries and upload large files',
    defaults: { name: 'Media Service' },
    usableAsTool: true,
    builderHint: {
      searchHint:
        'Upload > Upload sends one file of any size, inside n8n or on a worker. Batch > Start uploads many files, only on a worker. Use Webhook Delivery > Report for counts of failed deliveries.',
      relatedNodes: [
        {
          nodeType: 'n8n-nodes-media-service.mediaServiceTrigger',
          relationHint:
            'Starts a workflow when an upload or a batch finished, a delivery failed or media is new',
        },
      ],
    },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      // Hidden for what runs on a worker, which has the account.
      {
        name: 'mediaServiceApi',
        required: true,
        displayOptions: { hide: { resource: ['batch'], runIn: ['worker'], by: ['workflowId'] } },
      },
      // Hidden for uploads inside n8n, and for sessions that are identified by upload ID.
      {
        name: 'mediaServiceWorkerApi',
        required: true,
        displayOptions: {
          show: { resource: ['upload', 'batch'] },
          hide: { runIn: ['n8n'], by: ['uploadId'] },
        },
      },
    ],
    webhooks: RESUME_WEBHOOKS,
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: RESOURCES.map(({ option }) => option),
        default: 'media',
      },
      ...RESOURCES.flatMap(resourceProperties),
    ],
  };

  methods = { listSearch: LIST_SEARCH, resourceMapping: { batchColumns } };

  execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    return route(this);
  }

  webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return resume(this);
  }
}
