/** Pages that share the window while there are that many. */
const PAGES_AT_ONCE = 4;
/** A page that runs fewer uploads at once makes smaller groups of their steps. */
const MIN_SHARE = 64;
/** A running page is given more slots only where that makes it faster by this share: each gift is a signal. */
const WORTHWHILE_GROWTH = 1 / 4;

/** The window as one run of the root hands it to the next. Plain JSON. */
export interface WindowState {
  /** The first page that was never started. */
  readonly nextPage: number;
  /** Pages that were started and have to be started again. */
  readonly again: readonly number[];
  readonly open: readonly OpenPage[];
}

export interface OpenPage {
  readonly page: number;
  /** Uploads that it may run at once. */
  readonly slots: number;
  /** All its rows have begun: its slots only ever get fewer. */
  readonly allBegun: boolean;
}

/** `start`: a page that waits; `grow`: one that runs. `slots`: what it has from then on. */
export interface WindowStep {
  readonly kind: 'start' | 'grow';
  readonly page: number;
  readonly slots: number;
}

export interface WindowParts {
  readonly size: number;
  readonly pages: number;
  readonly state?: WindowState | undefined;
  /** Of a page, while others wait. Default 64. */
  readonly minShare?: number;
}

/**
 * Which page may run how many uploads at once, so that over all open pages there are never more than `size`. A page's slots come back
 * as it says that fewer uploads of it run, and all of them when it ends, however it ends: none can be lost. A page with slow files
 * holds slots for those alone, within a factor of two, and the next ones begin.
 */
export class BatchWindow {
  readonly #size: number;
  readonly #pages: number;
  readonly #minShare: number;
  readonly #open = new Map<number, OpenPage>();
  readonly #again: number[];
  #nextPage: number;

  constructor({ size, pages, state, minShare = MIN_SHARE }: WindowParts) {
    this.#size = size;
    this.#minShare = minShare;
    this.#pages = pages;
    this.#nextPage = state?.nextPage ?? 0;
    this.#again = [...(state?.again ?? [])];
    for (const page of state?.open ?? []) this.#open.set(page.page, page);
  }

  get state(): WindowState {
    return { nextPage: this.#nextPage, again: [...this.#again], open: [...this.#open.values()] };
  }

  get openPages(): readonly number[] {
    return [...this.#open.keys()];
  }

  /** Pages that have not been started, or not again. */
  get waiting(): number {
    return this.#pages - this.#nextPage + this.#again.length;
  }

  /** Whether rows are left that have not begun, as far as pages have reported. */
  get hasMoreToBegin(): boolean {
    return this.waiting > 0 || [...this.#open.values()].some(({ allBegun }) => !allBegun);
  }

  get done(): boolean {
    return this.#open.size === 0 && this.waiting === 0;
  }

  get free(): number {
    return [...this.#open.values()].reduce((free, { slots }) => free - slots, this.#size);
  }

  /** Takes the next step that the free slots allow; undefined where there is none until a page reports or ends. */
  take(): WindowStep | undefined {
    const step = this.#nextGrowth() ?? this.#nextStart();
    if (step === undefined) return undefined;
    if (step.kind === 'start' && this.#again.shift() === undefined) this.#nextPage += 1;
    this.#open.set(step.page, { page: step.page, slots: step.slots, allBegun: false });
    return step;
  }

  /** All rows of the page have begun, and so many uploads still run. */
  allBegun(page: number, running: number): void {
    const open = this.#open.get(page);
    if (open === undefined) return;
    this.#open.set(page, { page, slots: Math.min(open.slots, running), allBegun: true });
  }

  /** The page has ended and comes back no more; one that is not open changes nothing. */
  ended(page: number): void {
    this.#open.delete(page);
  }

  /** The page was lost and waits to be started again. */
  lost(page: number): void {
    if (this.#open.delete(page)) this.#again.push(page);
  }

  #nextStart(): WindowStep | undefined {
    if (this.waiting === 0) return undefined;
    const { free } = this;
    if (free < Math.ceil(this.#size / PAGES_AT_ONCE / 2)) return undefined;
    return { kind: 'start', page: this.#again[0] ?? this.#nextPage, slots: Math.min(this.#share(), free) };
  }

  /** While pages wait, a page gets no more than its share. */
  #nextGrowth(): WindowStep | undefined {
    const { free } = this;
    const [least] = this.#beginning().sort((a, b) => a.slots - b.slots || a.page - b.page);
    if (least === undefined) return undefined;
    const max = this.waiting > 0 ? this.#share() : Infinity;
    const growth = Math.min(free, max - least.slots);
    if (growth < Math.max(1, least.slots * WORTHWHILE_GROWTH)) return undefined;
    return { kind: 'grow', page: least.page, slots: least.slots + growth };
  }

  #share(): number {
    const sharers = Math.min(PAGES_AT_ONCE, this.#beginning().length + this.waiting);
    return Math.min(this.#size, Math.max(this.#minShare, Math.ceil(this.#size / sharers)));
  }

  /** Open pages with rows that have not begun. */
  #beginning(): OpenPage[] {
    return [...this.#open.values()].filter(({ allBegun }) => !allBegun);
  }
}

/** Whether a page that told `told` running uploads has so few by now that telling it anew gives back slots worth a signal. */
export function isWorthTelling(told: number, running: number): boolean {
  return running > 0 && running <= told / 2;
}
