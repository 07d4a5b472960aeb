import { MediaServiceError } from '../../../api/errors';

/** A failed workflow task is tried again until a newer worker takes it; a failed workflow would be lost. */
export function refuseNewerSchema(schema: number, known: number): void {
  if (schema <= known) return;
  throw new MediaServiceError(
    'InputTooNew',
    `The batch was started with input schema ${String(schema)}, this worker knows ${String(known)}: update the workers.`,
  );
}
