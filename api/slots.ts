/** Slots that many share, such as parts at once or bytes of memory: whoever asks gets them in the order of the calls. */
export class Slots {
  /** In the order of the calls. */
  readonly #waiting = new Set<{ readonly count: number; readonly grant: () => void }>();
  #used = 0;

  /** `max`: slots at this moment. 0: nobody gets any. If it grows, call `recheck`. */
  constructor(private readonly max: () => number) {}

  get used(): number {
    return this.#used;
  }

  /**
   * Resolves with a function that returns the slots; a second call of it does nothing. Whoever needs more than all gets
   * them when nobody else has any. Rejects with the signal's reason when it aborts.
   */
  enter(signal?: AbortSignal, count = 1): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        this.#waiting.delete(waiter);
        this.recheck();
        reject(signal?.reason);
      };
      const grant = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(this.#leaver(count));
      };
      const waiter = { count, grant };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
      this.recheck();
    });
  }

  /** There may be more slots than before. */
  recheck(): void {
    for (const waiter of this.#waiting) {
      const max = this.max();
      if (max === 0 || (this.#used > 0 && this.#used + waiter.count > max)) return;
      this.#used += waiter.count;
      this.#waiting.delete(waiter);
      waiter.grant();
    }
  }

  #leaver(count: number): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#used -= count;
      this.recheck();
    };
  }
}
