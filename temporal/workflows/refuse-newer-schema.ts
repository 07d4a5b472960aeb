import { MediaServiceError } from '../../api/errors';

/**
 * Throws a plain error, which fails only the workflow task. Temporal retries the task until a newer worker takes it. A
 * failed workflow would be lost. `begun` says what has this input, such as "The batch was started".
 */
export function refuseNewerSchema(begun: string, schema: number, known: number): void {
  if (schema <= known) return;
  throw new MediaServiceError(
    'InputTooNew',
    `${begun} with input schema ${String(schema)}, this worker knows ${String(known)}: update the workers.`,
  );
}
