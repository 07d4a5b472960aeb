import type { CarriedBatch } from '../../contract/batch';

/** Only this share of all slots or more goes to a page at once, because each change is a signal. */
const LEAST_SHARE = 1 / 8;

/** The slots as one run of the root passes them to the next. */
type PageSlotsState = CarriedBatch['slots'];
type OpenPage = PageSlotsState['open'][number];

/** `start`: a waiting page. `grow`: a running page. `slots`: its slots from then on. */
export interface NextPage {
  readonly kind: 'start' | 'grow';
  readonly page: number;
  /** 0: the page loads its rows, and begins none yet. */
  readonly slots: number;
}

interface PageSlotsOptions {
  /** The number of slots. */
  readonly parallelUploads: number;
  readonly pages: number;
  /** Rows of a page, which is the maximum of its slots. */
  readonly pageRows: number;
  readonly state?: PageSlotsState | undefined;
}

/**
 * Decides how many uploads each page may run at once, so that all open pages together never run more than
 * `parallelUploads`. Slots are free again when a page reports fewer running uploads. All its slots are free when it
 * ends, with or without success, so none can be lost. A page with only slow files left keeps slots for those, within a
 * factor of two, and the next pages begin. Few pages run at once, because more of them would gather smaller groups of
 * steps. When the rows of all open pages have begun, the next page starts without slots, so that its rows are loaded
 * when slots come back.
 */
export class PageSlots {
  readonly #size: number;
  readonly #pages: number;
  readonly #pageRows: number;
  readonly #open = new Map<number, OpenPage>();
  readonly #again: number[];
  #nextPage: number;

  constructor({ parallelUploads, pages, pageRows, state }: PageSlotsOptions) {
    this.#size = parallelUploads;
    this.#pageRows = pageRows;
    this.#pages = pages;
    this.#nextPage = state?.nextPage ?? 0;
    this.#again = [...(state?.again ?? [])];
    for (const page of state?.open ?? []) this.#open.set(page.page, page);
  }

  get state(): PageSlotsState {
    return { nextPage: this.#nextPage, again: [...this.#again], open: [...this.#open.values()] };
  }

  get openPages(): readonly number[] {
    return [...this.#open.keys()];
  }

  /** Number of pages that must still be started, or started again. */
  get waiting(): number {
    return this.#pages - this.#nextPage + this.#again.length;
  }

  /** Whether some rows have not begun, according to the pages' reports. */
  get hasMoreToBegin(): boolean {
    return this.waiting > 0 || [...this.#open.values()].some(({ allStarted }) => !allStarted);
  }

  get done(): boolean {
    return this.#open.size === 0 && this.waiting === 0;
  }

  get free(): number {
    return [...this.#open.values()].reduce((free, { slots }) => free - slots, this.#size);
  }

  /** Takes the next step that the free slots allow. Undefined if there is none until a page reports or ends. */
  take(): NextPage | undefined {
    const step = this.#nextGrowth() ?? this.#nextStart();
    if (step === undefined) return undefined;
    if (step.kind === 'start' && this.#again.shift() === undefined) this.#nextPage += 1;
    this.#open.set(step.page, { page: step.page, slots: step.slots, allStarted: false });
    return step;
  }

  /** All rows of the page have begun, and `running` uploads still run. */
  allStarted(page: number, running: number): void {
    const open = this.#open.get(page);
    if (open === undefined) return;
    this.#open.set(page, { page, slots: Math.min(open.slots, running), allStarted: true });
  }

  /** The page has ended for good. Changes nothing if it is not open. */
  ended(page: number): void {
    this.#open.delete(page);
  }

  /** The page was lost and must be started again. */
  lost(page: number): void {
    if (this.#open.delete(page)) this.#again.push(page);
  }

  #nextStart(): NextPage | undefined {
    if (this.waiting === 0) return undefined;
    const slots = this.#share(this.#pageRows);
    if (slots === 0 && this.#beginning().length > 0) return undefined;
    return { kind: 'start', page: this.#again[0] ?? this.#nextPage, slots };
  }

  #nextGrowth(): NextPage | undefined {
    const [least] = this.#beginning().sort((a, b) => a.slots - b.slots || a.page - b.page);
    if (least === undefined) return undefined;
    const growth = this.#share(this.#pageRows - least.slots);
    if (growth === 0) return undefined;
    return { kind: 'grow', page: least.page, slots: least.slots + growth };
  }

  /** Free slots for a page that can use `missing` more: all of these, or at least the share that is worth a signal. */
  #share(missing: number): number {
    const { free } = this;
    return free >= missing || isWorthSharing(free, this.#size) ? Math.min(free, missing) : 0;
  }

  /** Open pages with rows that have not begun. */
  #beginning(): OpenPage[] {
    return [...this.#open.values()].filter(({ allStarted }) => !allStarted);
  }
}

function isWorthSharing(free: number, size: number): boolean {
  return free >= Math.ceil(size * LEAST_SHARE);
}

/**
 * When a page whose rows have all begun should report again. It reports now if another page can get the slots that are
 * free since the last report, and later if they are half of those that it kept.
 * @param size the number of slots of the batch
 */
export function whenToReport(reported: number, running: number, size: number): 'now' | 'later' | 'never' {
  if (running === 0) return 'never';
  if (isWorthSharing(reported - running, size)) return 'now';
  return running <= reported / 2 ? 'later' : 'never';
}
