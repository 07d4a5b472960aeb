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
      context.getNodeParameter('resource', itemIndex) === 'batch'
        ? 'Batches always run on workers. Choose one; without a worker, Upload > Upload takes the files one by one.'
        : 'Choose one, or run the upload in n8n. To read an upload inside n8n, use Get or Wait with its upload ID; to end it, stop its execution.',
    );
  }
  return context.getCredentials<Record<string, unknown>>(WORKER_CREDENTIAL, itemIndex);
}
