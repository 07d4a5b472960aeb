/** Runs something that must be quick. Its signal aborts after this number of ms, or with `signal`. */
export async function withinTime<T>(
  ms: number,
  signal: AbortSignal,
  run: (ending: AbortSignal) => Promise<T>,
): Promise<T> {
  // Node may collect an `AbortSignal.timeout` that only `AbortSignal.any` references, and then it never fires.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await run(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
