/**
 * Runs something that ends by its signal. Resolves once it is ready, and rejects if it fails before. `stop` ends it, and
 * rejects if it has failed since.
 */
export async function startRun<T>(
  run: (signal: AbortSignal, onReady: (ready: T) => void) => Promise<void>,
): Promise<{ readonly ready: T; stop(): Promise<void> }> {
  const stopping = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const ended = run(stopping.signal, resolve);
  ended.catch(reject);
  return {
    ready: await promise,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
