import type { IExecuteFunctions } from 'n8n-workflow';
import { ConfigurationError } from '../../../api/errors';

export const WORKER_CREDENTIAL = 'mediaServiceWorkerApi';

/** The decrypted credential of the item. If none is chosen, rejects with an error that says what to do. */
export async function workerCredential(
  context: IExecuteFunctions,
  itemIndex: number,
): Promise<Readonly<Record<string, unknown>>> {
  if (context.getNode().credentials?.[WORKER_CREDENTIAL] === undefined) {
    throw new ConfigurationError(
      WORKER_CREDENTIAL,
      'This operation needs the credential "Media Service Worker API"',
      hintFor(context, itemIndex),
    );
  }
  return context.getCredentials<Record<string, unknown>>(WORKER_CREDENTIAL, itemIndex);
}

const CHOOSE = 'Choose a "Media Service Worker API" credential in this node';

function hintFor(context: IExecuteFunctions, itemIndex: number): string {
  if (context.getNodeParameter('resource', itemIndex) === 'batch')
    return `Batches always run on workers. ${CHOOSE}; without a worker, Upload > Upload takes the files one by one.`;
  if (context.getNodeParameter('operation', itemIndex) === 'upload')
    return `${CHOOSE}, or run the upload in n8n.`;
  return `It controls uploads on a worker. ${CHOOSE}. To read an upload inside n8n, use Get or Wait with its upload ID. To end it, stop its execution.`;
}
