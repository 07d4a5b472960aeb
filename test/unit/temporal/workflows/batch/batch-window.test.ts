import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BatchWindow, isWorthTelling } from '../../../../../temporal/workflows/batch/batch-window';
import type { WindowStep } from '../../../../../temporal/workflows/batch/batch-window';

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
    const window = new BatchWindow({ size, pages });
    expect(takeAll(window).map((step) => step.slots)).toEqual(slots);
  });

  it('starts the next page with what a page gives back that ends slowly', () => {
    const window = new BatchWindow({ size: 64, pages: 9 });
    takeAll(window);
    window.allBegun(0, 1);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 4, slots: 15 }]);
  });

  it('gives the last page all slots that come back', () => {
    const window = new BatchWindow({ size: 8, pages: 2 });
    takeAll(window);
    window.ended(0);
    expect(takeAll(window)).toEqual([{ kind: 'grow', page: 1, slots: 8 }]);
  });

  it('starts a lost page again before pages that were never started', () => {
    const window = new BatchWindow({ size: 4, pages: 9 });
    takeAll(window);
    window.lost(2);
    expect(takeAll(window)).toEqual([{ kind: 'start', page: 2, slots: 1 }]);
  });

  it('goes on in the next run as it was handed over', () => {
    const before = new BatchWindow({ size: 8, pages: 9 });
    takeAll(before);
    before.lost(1);
    const after = new BatchWindow({ size: 8, pages: 9, state: before.state });
    expect(after.state).toEqual(before.state);
    expect(takeAll(after)).toEqual(takeAll(before));
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
  let window = new BatchWindow({ size, pages: rows.length });
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
      window = new BatchWindow({ size, pages: rows.length, state: window.state });
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
        const window = new BatchWindow({ size, pages: 10_000 });
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
