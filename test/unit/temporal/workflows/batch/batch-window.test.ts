import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BatchWindow, isWorthTelling } from '../../../../../temporal/workflows/batch/batch-window';
import type { WindowParts, WindowStep } from '../../../../../temporal/workflows/batch/batch-window';

/** Pages share it down to single slots, unless the test says otherwise. */
function windowOf(parts: WindowParts): BatchWindow {
  return new BatchWindow({ minShare: 1, ...parts });
}

function takeAll(window: BatchWindow): WindowStep[] {
  const steps: WindowStep[] = [];
  for (let step = window.take(); step !== undefined; step = window.take()) steps.push(step);
  return steps;
}

describe('the window of a batch', () => {
  it.each([
    { size: 64, pages: 1, slots: [64] },
    { size: 64, pages: 2, slots: [32, 32] },
    { size: 64, pages: 1_000, slots: [16, 16, 16, 16] },
    { size: 1, pages: 5, slots: [1] },
    { size: 3, pages: 5, slots: [1, 1, 1] },
    { size: 10, pages: 3, slots: [4, 4, 2] },
  ])('of $size over $pages pages is given out as $slots', ({ size, pages, slots }) => {
    const window = windowOf({ size, pages });
    expect(takeAll(window).map((step) => step.slots)).toEqual(slots);
  });

  it.each([
    { size: 64, slots: [64] },
    { size: 100, slots: [64, 36] },
    { size: 256, slots: [64, 64, 64, 64] },
    { size: 1_000, slots: [250, 250, 250, 250] },
  ])('of $size gives a page no less than 64 while it has them: $slots', ({ size, slots }) => {
    const window = new BatchWindow({ size, pages: 1_000 });
    expect(takeAll(window).map((step) => step.slots)).toEqual(slots);
  });

  it('starts the next page with an eighth of the window, though a page may have all of it', () => {
    const window = new BatchWindow({ size: 64, pages: 9 });
    takeAll(window);
    window.allBegun(0, 57);
    expect(takeAll(window)).toEqual([]);
    window.allBegun(0, 56);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 1, slots: 8 }]);
    window.allBegun(0, 28);
    expect(takeAll(window)).toEqual([{ kind: 'grow', page: 1, slots: 36 }]);
  });

  it('fills the share of a page that runs before it starts another', () => {
    const window = new BatchWindow({ size: 100, pages: 9 });
    takeAll(window);
    window.allBegun(0, 30);
    expect(takeAll(window)).toEqual([{ kind: 'grow', page: 1, slots: 64 }]);
  });

  it('has rows left to begin until every page was started and has begun all of its own', () => {
    const window = windowOf({ size: 64, pages: 2 });
    takeAll(window);
    window.allBegun(0, 3);
    expect(window.hasMoreToBegin).toBe(true);
    window.allBegun(1, 2);
    expect(window.hasMoreToBegin).toBe(false);
    window.lost(1);
    expect(window.hasMoreToBegin).toBe(true);
  });

  it('starts the next page with what a page gives back that ends slowly', () => {
    const window = windowOf({ size: 64, pages: 9 });
    takeAll(window);
    window.allBegun(0, 1);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 4, slots: 15 }]);
  });

  it('gives the last page all slots that come back', () => {
    const window = windowOf({ size: 8, pages: 2 });
    takeAll(window);
    window.ended(0);
    expect(takeAll(window)).toEqual([{ kind: 'grow', page: 1, slots: 8 }]);
  });

  it('starts no page with less than half of its share: it waits for more to come back', () => {
    const window = windowOf({ size: 64, pages: 9 });
    takeAll(window);
    window.allBegun(0, 9);
    expect(takeAll(window)).toEqual([]);
    window.allBegun(0, 8);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 4, slots: 8 }]);
  });

  it('gives the last pages more only where that is worth a signal, and least of all to one that has begun its rows', () => {
    const window = windowOf({ size: 40, pages: 3 });
    expect(takeAll(window).map(({ slots }) => slots)).toEqual([14, 14, 12]);
    window.allBegun(0, 12);
    expect(takeAll(window)).toEqual([]);
    window.allBegun(0, 11);
    expect(takeAll(window)).toEqual([{ kind: 'grow', page: 2, slots: 15 }]);
    const next = windowOf({ size: 40, pages: 3, state: window.state });
    next.ended(2);
    expect(takeAll(next)).toEqual([{ kind: 'grow', page: 1, slots: 29 }]);
    next.ended(1);
    expect(takeAll(next)).toEqual([]);
  });

  it('gives a page no slot that it was not given, whatever a late report tells', () => {
    const window = windowOf({ size: 4, pages: 9 });
    takeAll(window);
    window.allBegun(0, 3);
    expect(window.free).toBe(0);
    window.allBegun(8, 3);
    expect(window.openPages).toEqual([0, 1, 2, 3]);
  });

  it('starts no page twice that ends or is lost once more', () => {
    const window = windowOf({ size: 1, pages: 2 });
    takeAll(window);
    window.ended(0);
    window.lost(0);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 1, slots: 1 }]);
    window.ended(1);
    window.ended(1);
    expect(window).toMatchObject({ done: true, waiting: 0, free: 1 });
  });

  it('starts a lost page again before pages that were never started', () => {
    const window = windowOf({ size: 4, pages: 9 });
    takeAll(window);
    window.lost(2);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 2, slots: 1 }]);
  });

  it('goes on in the next run as it was handed over', () => {
    const before = windowOf({ size: 8, pages: 9 });
    takeAll(before);
    before.lost(1);
    const after = windowOf({ size: 8, pages: 9, state: before.state });
    expect(after.state).toEqual(before.state);
    expect(takeAll(after)).toEqual(takeAll(before));
  });
});

describe('a page whose rows have all begun', () => {
  it.each([
    [Infinity, 5, true],
    [5, 4, false],
    [5, 3, false],
    [5, 2, true],
    [4, 2, true],
    [2, 1, true],
    // It is about to end, and then all comes back.
    [1, 0, false],
  ])('and that told of %s running uploads tells of %s: %s', (told, running, expected) => {
    expect(isWorthTelling(told, running)).toBe(expected);
  });
});

/** A page in the model: rows to begin, uploads that run, and what its root knows of it. */
interface ModelPage {
  waiting: number;
  running: number;
  slots: number;
  told: number | undefined;
}

/** Runs a whole batch in which pages' rows end, pages die and runs hand over in any order that `choose` gives. */
function runModel(size: number, rows: readonly number[], choose: (count: number) => number): number[] {
  let window = windowOf({ size, pages: rows.length });
  const pages = new Map<number, ModelPage>();
  const ends = rows.map(() => 0);
  let deaths = 5;
  const begin = (page: ModelPage): void => {
    const more = Math.min(page.waiting, Math.max(0, page.slots - page.running));
    page.waiting -= more;
    page.running += more;
  };
  for (let turn = 0; turn < 20_000 && !window.done; turn += 1) {
    for (const step of takeAll(window)) {
      const known = pages.get(step.page) ?? {
        waiting: rows[step.page] ?? 0,
        running: 0,
        slots: 0,
        told: undefined,
      };
      known.slots = step.slots;
      pages.set(step.page, known);
      begin(known);
    }
    const running = [...pages.values()].reduce((sum, page) => sum + page.running, 0);
    expect(running).toBeLessThanOrEqual(size);
    expect(window.free).toBeGreaterThanOrEqual(0);
    if (window.waiting > 0) expect(window.free).toBeLessThan(Math.max(1, Math.ceil(size / 2)));
    const numbers = [...pages.keys()];
    const number = numbers[choose(numbers.length)];
    const page = number === undefined ? undefined : pages.get(number);
    if (number === undefined || page === undefined) throw new Error('The window stalls: no page is open.');
    if (deaths > 0 && choose(10) === 0) {
      deaths -= 1;
      pages.delete(number);
      window.lost(number);
    } else if (choose(10) === 1) {
      window = windowOf({ size, pages: rows.length, state: window.state });
    } else {
      page.running -= page.running > 0 ? 1 : 0;
      begin(page);
      if (page.waiting === 0 && page.running === 0) {
        pages.delete(number);
        window.ended(number);
        ends[number] = (ends[number] ?? 0) + 1;
      } else if (page.waiting === 0 && (page.told === undefined || isWorthTelling(page.told, page.running))) {
        page.told = page.running;
        window.allBegun(number, page.running);
      }
    }
  }
  expect(window).toMatchObject({ done: true, free: size });
  return ends;
}

describe('whatever order pages tail off, end and die in, the window of a batch', () => {
  it('is never exceeded, never stalls, loses no slot, and ends each page once', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        (size, rows, stream) => {
          const choose = (count: number): number => (stream.next().value ?? 0) % count;
          expect(runModel(size, rows, choose)).toEqual(rows.map(() => 1));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('leaves no more free than one upload in two of a share while a page waits, though files of every open page hang', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 8 }), (size, hanging) => {
        const window = windowOf({ size, pages: 10_000 });
        for (let turn = 0; turn < 500; turn += 1) {
          takeAll(window);
          for (const { page, allBegun } of window.state.open) {
            if (!allBegun) window.allBegun(page, hanging);
          }
        }
        const share = Math.ceil(size / 4);
        expect(window.free).toBeLessThan(Math.max(1, Math.ceil(share / 2)));
      }),
      { numRuns: 100 },
    );
  });
});
