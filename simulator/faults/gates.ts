import { EventEmitter, once } from 'node:events';

/** Holds work until it is released. Tests use this to stop an upload in the middle of a part. */
export class Gates {
  readonly #doors = new EventEmitter().setMaxListeners(0);

  /** Resolves on `release`, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    // The signal ends the wait like a release.
    await once(this.#doors, 'open', { signal }).catch(() => undefined);
  }

  /** Releases all held work, and returns its number. */
  release(): number {
    const held = this.#doors.listenerCount('open');
    this.#doors.emit('open');
    return held;
  }
}
