import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** Where an upload runs. The "Temporal API" credential is shown and required only for a Temporal worker. */
export const RUN_IN: INodeProperties = {
  displayName: 'Run Upload In',
  name: 'runIn',
  type: 'options',
  noDataExpression: true,
  default: 'n8n',
  options: [
    { name: 'n8n', value: 'n8n', description: 'Stopping the execution stops the upload' },
    {
      name: 'Temporal Worker',
      value: 'temporal',
      description: 'The upload survives restarts, and can be paused; needs Temporal and a worker',
    },
  ],
};

export const BY_WORKER = { show: { runIn: ['temporal'] } };
/** The same for an entry of a collection. */
export const OPTION_BY_WORKER = { show: { '/runIn': ['temporal'] } };

export function runsInTemporal(context: IExecuteFunctions, itemIndex: number): boolean {
  return context.getNodeParameter('runIn', itemIndex) === 'temporal';
}
