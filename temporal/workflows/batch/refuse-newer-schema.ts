import { MediaServiceError } from '../../../api/errors';

/**
 * Throws a plain error, which fails only the workflow task. Temporal retries the task until a newer worker takes it. A
 * failed workflow would be lost.
 */
export function refuseNewerSchema(schema: number, known: number): void {
  if (schema <= known) return;
  throw new MediaServiceError(
    'InputTooNew',
    `The batch was started with input schema ${String(schema)}, this worker knows ${String(known)}: update the workers.`,
  );
}
