const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const waiting = new Set<AbortController>();

export interface ProcessStop {
  /** Aborts when this process is asked to stop. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  close(): void;
}

/** Listens together with the process's own handlers, once for all that listen here; whether the process ends is theirs to say. */
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
