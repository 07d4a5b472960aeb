import type {
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  IPollFunctions,
  NodeHint,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { poll } from './poll';
import { TRIGGER_PARAMETERS } from './trigger-form';

/** A poll can't add its own hint, so this one fits a test with an item and a test without one. */
const TEST_HINT: NodeHint = {
  message: 'A test shows the newest item, if there is one. Publish the workflow to get each new one.',
  type: 'info',
  location: 'outputPane',
  whenToDisplay: 'afterExecution',
};

export class MediaServiceTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Media Service Trigger',
    name: 'mediaServiceTrigger',
    icon: {
      light: 'file:../../icons/mediaService.svg',
      dark: 'file:../../icons/mediaService.dark.svg',
    },
    group: ['trigger'],
    version: 1,
    subtitle:
      '={{ { batchFinished: "Batch finished", delivery: "New delivery", deliveryFailed: "New failed delivery", media: "New media", uploadFinished: "Upload finished" }[$parameter["event"]] }}',
    // The nodes panel shows one entry for both node and trigger, with this text.
    description:
      'Search media, upload files and export webhook deliveries; start workflows when something is new or finished',
    defaults: { name: 'Media Service Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [
      {
        name: 'mediaServiceApi',
        required: true,
        displayOptions: { hide: { event: ['uploadFinished', 'batchFinished'] } },
      },
      {
        name: 'mediaServiceWorkerApi',
        required: true,
        displayOptions: { show: { event: ['uploadFinished', 'batchFinished'] } },
      },
    ],
    hints: [TEST_HINT],
    triggerPanel: {
      header: 'Fetch the newest item',
      executionsHelp:
        'While you build, <b>Fetch Test Event</b> shows the newest item that exists, and remembers nothing. Once the workflow is published, each poll that finds new items starts one execution with all of them.',
      activationHint:
        'Publish the workflow to get each new item once. What exists before its first poll is not new.',
    },
    activationMessage: 'The workflow now starts with what is new since its first poll.',
    properties: TRIGGER_PARAMETERS,
  };

  poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    return poll(this);
  }
}
