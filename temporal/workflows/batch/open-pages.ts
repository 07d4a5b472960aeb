import { DEFAULT_BATCH_OPTIONS } from '../../contract/batch';

/** So many pages run at once that each worker has some, and that a slow file of one page delays no other. */
const MAX_OPEN = 16;

interface OpenPagesOptions {
  readonly pages: number;
  readonly parallelUploads?: number | undefined;
}

/**
 * Which pages run, and how many rows each may upload at once. All open pages together never have more slots than
 * `parallelUploads`, and each has at least one. A page passes its slots on when it ends.
 */
export class OpenPages {
  readonly #slots: number;
  readonly #waiting: number[];
  readonly #open = new Map<number, number>();

  constructor({ pages, parallelUploads = DEFAULT_BATCH_OPTIONS.parallelUploads }: OpenPagesOptions) {
    this.#slots = parallelUploads;
    this.#waiting = Array.from({ length: pages }, (_, page) => page);
  }

  get open(): readonly number[] {
    return [...this.#open.keys()];
  }

  get done(): boolean {
    return this.#open.size === 0 && this.#waiting.length === 0;
  }

  /** Opens the next page. Undefined: none is left, or enough are open. */
  take(): { readonly page: number; readonly slots: number } | undefined {
    const max = Math.min(MAX_OPEN, this.#slots, this.#open.size + this.#waiting.length);
    const used = [...this.#open.values()].reduce((sum, slots) => sum + slots, 0);
    if (this.#open.size >= max) return undefined;
    const page = this.#waiting.shift();
    if (page === undefined) return undefined;
    const slots = Math.ceil((this.#slots - used) / (max - this.#open.size));
    this.#open.set(page, slots);
    return { page, slots };
  }

  /** The page has ended for good. */
  ended(page: number): void {
    this.#open.delete(page);
  }

  /** The page was lost and is opened again before others. */
  lost(page: number): void {
    if (this.#open.delete(page)) this.#waiting.unshift(page);
  }
}
