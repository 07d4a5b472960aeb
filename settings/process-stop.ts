const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const waiting = new Set<AbortController>();

interface ProcessStop {
  /** Aborts when this process is asked to stop. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  close(): void;
}

/**
 * Listens in addition to the process's own handlers, with one handler for all callers. The process's own handlers
 * decide whether it ends.
 */
export function listenForStop(): ProcessStop {
  const controller = new AbortController();
  if (waiting.size === 0) SIGNALS.forEach((name) => process.on(name, stopAll));
  waiting.add(controller);
  return {
    signal: controller.signal,
    close() {
      waiting.delete(controller);
      if (waiting.size === 0) SIGNALS.forEach((name) => process.off(name, stopAll));
    },
  };
}

function stopAll(): void {
  waiting.forEach((controller) => controller.abort());
}
