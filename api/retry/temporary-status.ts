/** 4xx that ask for another try later: Request Timeout, Too Early, Too Many Requests. */
const TRY_AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Returns whether a 4xx of a server that is not the Media Service asks for another try later. */
export function asksForAnotherTry(status: number): boolean {
  return TRY_AGAIN.has(status);
}

/** Returns whether a server that is not the Media Service may answer the same request differently later. */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || asksForAnotherTry(status);
}
