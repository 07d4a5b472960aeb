import { MediaServiceError } from '../../../../api/errors';

/** The error that a promise rejects with. Anything else than a `MediaServiceError` fails the test. */
export async function failureOf(work: Promise<unknown>): Promise<MediaServiceError> {
  const error: unknown = await work.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  if (error instanceof MediaServiceError) return error;
  throw new Error(`expected a MediaServiceError, got ${String(error)}`, { cause: error });
}

/** The same for an error that is thrown synchronously. */
export function thrownBy(work: () => unknown): MediaServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof MediaServiceError) return error;
    throw error;
  }
  throw new Error('expected a MediaServiceError, got nothing');
}
