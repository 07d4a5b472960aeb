import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { field } from '../../../../n8n/form-fields';

/** Where an upload runs. Only the credential that is needed there is shown and required. */
export const RUN_IN = field('runIn', {
  type: 'options',
  noDataExpression: true,
  default: 'n8n',
  options: [
    { name: 'This Execution', value: 'n8n', description: 'Stopping the execution stops the upload' },
    {
      name: 'Worker',
      value: 'worker',
      description: 'The upload survives restarts, and can be paused; needs `media-service worker`',
    },
  ],
});

/** For operations that only exist on a worker: they need no other credential. */
export const ON_WORKER: INodeProperties = { ...RUN_IN, type: 'hidden', default: 'worker' };

export const BY_WORKER = { show: { runIn: ['worker'] } };

export function runsOnWorker(context: IExecuteFunctions, itemIndex: number): boolean {
  return context.getNodeParameter('runIn', itemIndex) === 'worker';
}
