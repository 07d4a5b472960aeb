import type { IExecuteFunctions } from 'n8n-workflow';
import { booleanField, givenValue, required } from '../../parameters';

/** Whether the node waits until the service has processed the file. */
export function waitOf(context: IExecuteFunctions, itemIndex: number): boolean {
  const name = 'Wait for Completion';
  return required(booleanField(givenValue(context.getNodeParameter('wait', itemIndex)), name), name);
}
