import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { booleanField, required } from '../../parameters';

const NAME = 'Wait for Completion';

export const WAIT: INodeProperties = {
  displayName: NAME,
  name: 'wait',
  type: 'boolean',
  default: true,
  description:
    'Whether to wait until all rows have ended. Otherwise the workers continue by themselves: see Batch > Get or Wait, or the trigger event Batch Finished. With On Error set to Continue, a batch from a manifest frees the execution meanwhile.',
};

export function waitOf(context: IExecuteFunctions, itemIndex: number): boolean {
  return required(booleanField(context.getNodeParameter('wait', itemIndex), NAME), NAME);
}
