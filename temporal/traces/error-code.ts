import { MediaServiceError } from '../../api/errors';

/** The code of an error, or its class. Messages stay in the log, because they may name files and hosts. */
export function codeOfError(error: unknown): string {
  if (error instanceof MediaServiceError) return error.code;
  if (!(error instanceof Error)) return 'Internal';
  return 'type' in error && typeof error.type === 'string' ? error.type : error.name;
}
