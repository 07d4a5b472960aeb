import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { testTemporal } from '../MediaService/access/temporal-test';
import { poll } from './poll';
import { TRIGGER_PARAMETERS } from './trigger-parameters';

export class MediaServiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Media Service Trigger',
    name: 'mediaServiceTrigger',
    icon: {
      light: 'file:../MediaService/mediaService.svg',
      dark: 'file:../MediaService/mediaService.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle:
      '={{ { batchEnded: "batch ended", delivery: "new delivery", deliveryFailed: "new failed delivery", media: "new media", uploadEnded: "upload ended" }[$parameter["event"]] }}',
    // The nodes panel shows one entry for node and trigger, with this text.
    description:
      'Search media, upload files and export webhook deliveries; start workflows when something is new or ended',
    defaults: { name: 'Media Service Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      { name: 'mediaServiceApi', required: true },
      {
        name: 'mediaServiceTemporalApi',
        required: false,
        testedBy: 'testTemporal',
        displayOptions: {
          show: { event: ['uploadEnded', 'batchEnded'] },
          hide: { watch: ['uploadIds'] },
        },
      },
    ],
    properties: TRIGGER_PARAMETERS,
  };

  methods = { credentialTest: { testTemporal } };

  poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return poll(this);
  }
}
