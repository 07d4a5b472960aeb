/** Time as a dependency, so that tests decide it. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
