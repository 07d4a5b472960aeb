import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { booleanField, fieldsOf, givenValue, required } from '../../parameters';

const NAME = 'Wait for Completion';
const CANCEL = 'Cancel Batch When Execution Is Canceled';

export const WAIT: INodeProperties = {
  displayName: NAME,
  name: 'wait',
  type: 'boolean',
  default: false,
  description:
    'Whether to wait until all rows have ended. Otherwise the workers continue by themselves: see Batch > Get or Wait, or the trigger event Batch Finished.',
};

export const CANCEL_WITH_EXECUTION: INodeProperties = {
  displayName: CANCEL,
  name: 'cancelWithExecution',
  type: 'boolean',
  default: true,
  description: 'Whether to cancel a batch that the execution waits for. Without this option it continues.',
};

/** Options of an operation that only waits. */
export const WAIT_OPTIONS: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [CANCEL_WITH_EXECUTION],
};

export function waitOf(context: IExecuteFunctions, itemIndex: number): boolean {
  return required(booleanField(givenValue(context.getNodeParameter('wait', itemIndex)), NAME), NAME);
}

export function cancelWithExecutionOf(context: IExecuteFunctions, itemIndex: number): boolean {
  const fields = fieldsOf(context, 'options', itemIndex);
  return booleanField(fields['cancelWithExecution'], CANCEL) ?? false;
}
