import { SECOND_MS } from '../../../api/durations';
import type { PinnedSource, SourceDescriptor } from '../../../api/upload/sources/source';
import { isOurs, pathOfSource } from '../../../api/upload/sources/source-rules';

/** As many as a group of pins takes. */
const MAX_ROWS = 128;
/** An older pin is made again, because somebody may have replaced the file while its row waited. */
const MAX_AGE_MS = 10 * SECOND_MS;

interface WaitingRow {
  readonly id: string;
  readonly source: SourceDescriptor;
}

/**
 * Pins the files of rows that wait for a slot, so that such a row starts its session as soon as it has one. Only files
 * on a disk: pinning looks at them, while other sources would be requested or copied.
 */
export class PinsAhead {
  readonly #pin: (source: SourceDescriptor) => Promise<PinnedSource>;
  readonly #pins = new Map<string, { readonly pinned: Promise<PinnedSource>; readonly at: number }>();

  constructor(pin: (source: SourceDescriptor) => Promise<PinnedSource>) {
    this.#pin = pin;
  }

  /** Pins the first of these rows when half of the earlier pins are taken. They begin in this order. */
  request(waiting: readonly WaitingRow[]): void {
    if (this.#pins.size > MAX_ROWS / 2) return;
    for (const { id, source } of waiting.slice(0, MAX_ROWS)) {
      if (this.#pins.has(id) || pathOfSource(source) === undefined || isOurs(source)) continue;
      const pinned = this.#pin(source);
      // The row awaits it, and handles its failure, when it begins.
      pinned.catch(() => undefined);
      this.#pins.set(id, { pinned, at: Date.now() });
    }
  }

  /** The pin of a row that begins: the earlier one if it is new enough. */
  take({ id, source }: WaitingRow): Promise<PinnedSource> {
    const early = this.#pins.get(id);
    this.#pins.delete(id);
    return early !== undefined && Date.now() - early.at < MAX_AGE_MS ? early.pinned : this.#pin(source);
  }
}
