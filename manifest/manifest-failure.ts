import { MediaServiceError } from '../api/errors';

/**
 * Words an error of reading the manifest itself so that it differs from an error of a row's source. Other errors pass
 * unchanged.
 */
export function manifestFailure(error: unknown): unknown {
  if (!(error instanceof MediaServiceError)) return error;
  const { code, facts } = error;
  const { field, problem } = facts;
  if (field?.startsWith('source') !== true || problem === undefined) return error;
  return new MediaServiceError(
    code,
    `the manifest ${problem}`,
    { ...facts, field: 'manifest' },
    { cause: error },
  );
}
