/** Holds work until it is released. Tests use this to stop an upload in the middle of a part. */
export class Gates {
  readonly #closed = new Set<() => void>();

  /** Resolves on `release`, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const open = (): void => {
        this.#closed.delete(open);
        signal.removeEventListener('abort', open);
        resolve();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener('abort', open, { once: true });
      this.#closed.add(open);
    });
  }

  /** Releases all held work, and returns its number. */
  release(): number {
    const held = [...this.#closed];
    for (const open of held) open();
    return held.length;
  }
}
