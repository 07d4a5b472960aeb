/**
 * Returns the code of a request's error: ECONNREFUSED, UND_ERR_SOCKET and the like. Looks at its cause if it has none
 * itself. If several addresses of a host fail, Node gives one error for all: the first one counts.
 */
export function networkCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return networkCodeOf(error.errors[0]);
  return 'cause' in error ? networkCodeOf(error.cause) : undefined;
}
