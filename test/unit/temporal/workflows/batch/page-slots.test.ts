import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PageSlots, whenToReport } from '../../../../../temporal/workflows/batch/page-slots';
import type { NextPage } from '../../../../../temporal/workflows/batch/page-slots';

function takeAll(pageSlots: PageSlots): NextPage[] {
  const steps: NextPage[] = [];
  for (let step = pageSlots.take(); step !== undefined; step = pageSlots.take()) steps.push(step);
  return steps;
}

describe('the slots of a batch', () => {
  it.each([
    { parallelUploads: 64, pages: 1, pageRows: 500, slots: [64] },
    { parallelUploads: 64, pages: 9, pageRows: 500, slots: [64] },
    { parallelUploads: 1, pages: 5, pageRows: 500, slots: [1] },
    { parallelUploads: 64, pages: 1_000, pageRows: 32, slots: [32, 32] },
    { parallelUploads: 3, pages: 5, pageRows: 2, slots: [2, 1] },
    { parallelUploads: 2_000, pages: 3, pageRows: 500, slots: [500, 500, 500] },
  ])(
    'of $parallelUploads go to as few as possible of $pages pages of $pageRows rows: $slots',
    ({ slots, ...options }) => {
      expect(takeAll(new PageSlots(options)).map((step) => step.slots)).toEqual(slots);
    },
  );

  it('go to the next page by eighths, though a page may get all of them', () => {
    const pageSlots = new PageSlots({ parallelUploads: 64, pages: 9, pageRows: 500 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 56);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'start', page: 1, slots: 8 }]);
    pageSlots.allStarted(0, 49);
    expect(takeAll(pageSlots)).toEqual([]);
    pageSlots.allStarted(0, 48);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'grow', page: 1, slots: 16 }]);
  });

  it('let the next page load its rows when the last row of the open pages begins', () => {
    const pageSlots = new PageSlots({ parallelUploads: 64, pages: 9, pageRows: 500 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 64);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'start', page: 1, slots: 0 }]);
    pageSlots.allStarted(0, 57);
    expect(takeAll(pageSlots)).toEqual([]);
    pageSlots.allStarted(0, 56);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'grow', page: 1, slots: 8 }]);
  });

  it('stay with a page that begins its rows instead of starting another one', () => {
    const pageSlots = new PageSlots({ parallelUploads: 64, pages: 9, pageRows: 500 });
    takeAll(pageSlots);
    for (let running = 56; running > 0; running -= 8) {
      pageSlots.allStarted(0, running);
      expect(takeAll(pageSlots)).toMatchObject([{ page: 1, slots: 64 - running }]);
    }
  });

  it('go to a running page before they start another', () => {
    const pageSlots = new PageSlots({ parallelUploads: 100, pages: 9, pageRows: 64 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 30);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'grow', page: 1, slots: 64 }]);
  });

  it('count as having rows left until every page was started and has begun all of its rows', () => {
    const pageSlots = new PageSlots({ parallelUploads: 64, pages: 2, pageRows: 32 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 3);
    expect(pageSlots.hasMoreToBegin).toBe(true);
    pageSlots.allStarted(1, 2);
    expect(pageSlots.hasMoreToBegin).toBe(false);
    pageSlots.lost(1);
    expect(pageSlots.hasMoreToBegin).toBe(true);
  });

  it('start the next page with the slots that a slowly ending page frees', () => {
    const pageSlots = new PageSlots({ parallelUploads: 64, pages: 9, pageRows: 32 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 1);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'start', page: 2, slots: 31 }]);
  });

  it('start a page with all that it can use, even if that is less than an eighth of them', () => {
    const pageSlots = new PageSlots({ parallelUploads: 100, pages: 9, pageRows: 11 });
    expect(takeAll(pageSlots).map(({ slots }) => slots)).toEqual([11, 11, 11, 11, 11, 11, 11, 11, 11]);
    const few = new PageSlots({ parallelUploads: 100, pages: 99, pageRows: 11 });
    takeAll(few);
    few.ended(0);
    expect(takeAll(few)).toEqual([{ kind: 'start', page: 9, slots: 11 }]);
  });

  it('go to the last page when they come back', () => {
    const pageSlots = new PageSlots({ parallelUploads: 8, pages: 2, pageRows: 6 });
    takeAll(pageSlots);
    pageSlots.ended(0);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'grow', page: 1, slots: 6 }]);
  });

  it('start no page with less than an eighth of all slots while another begins its rows', () => {
    const pageSlots = new PageSlots({ parallelUploads: 64, pages: 9, pageRows: 32 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 25);
    expect(takeAll(pageSlots)).toEqual([]);
    pageSlots.allStarted(0, 24);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'start', page: 2, slots: 8 }]);
  });

  it('go to the last pages only if that is worth a signal, and least to a page that has begun its rows', () => {
    const pageSlots = new PageSlots({ parallelUploads: 40, pages: 2, pageRows: 30 });
    expect(takeAll(pageSlots).map(({ slots }) => slots)).toEqual([30, 10]);
    pageSlots.allStarted(0, 26);
    expect(takeAll(pageSlots)).toEqual([]);
    pageSlots.allStarted(0, 25);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'grow', page: 1, slots: 15 }]);
    const next = new PageSlots({ parallelUploads: 40, pages: 2, pageRows: 30, state: pageSlots.state });
    next.ended(0);
    expect(takeAll(next)).toEqual([{ kind: 'grow', page: 1, slots: 30 }]);
    next.allStarted(1, 9);
    expect(takeAll(next)).toEqual([]);
  });

  it('give a page all that it can use, even if that is little', () => {
    const pageSlots = new PageSlots({ parallelUploads: 80, pages: 2, pageRows: 42 });
    expect(takeAll(pageSlots).map(({ slots }) => slots)).toEqual([42, 38]);
    pageSlots.allStarted(0, 40);
    expect(takeAll(pageSlots)).toEqual([]);
    pageSlots.allStarted(0, 37);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'grow', page: 1, slots: 42 }]);
  });

  it('are never taken from a page that did not get them, whatever a late report says', () => {
    const pageSlots = new PageSlots({ parallelUploads: 4, pages: 9, pageRows: 2 });
    takeAll(pageSlots);
    pageSlots.allStarted(0, 3);
    expect(pageSlots.free).toBe(0);
    pageSlots.allStarted(8, 3);
    expect(pageSlots.openPages).toEqual([0, 1]);
  });

  it('start no page twice that ends or is lost again', () => {
    const pageSlots = new PageSlots({ parallelUploads: 1, pages: 2, pageRows: 9 });
    takeAll(pageSlots);
    pageSlots.ended(0);
    pageSlots.lost(0);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'start', page: 1, slots: 1 }]);
    pageSlots.ended(1);
    pageSlots.ended(1);
    expect(pageSlots).toMatchObject({ done: true, waiting: 0, free: 1 });
  });

  it('start a lost page again before pages that were never started', () => {
    const pageSlots = new PageSlots({ parallelUploads: 4, pages: 9, pageRows: 2 });
    takeAll(pageSlots);
    pageSlots.lost(0);
    expect(takeAll(pageSlots)).toEqual([{ kind: 'start', page: 0, slots: 2 }]);
  });

  it('continue in the next run as they were handed over', () => {
    const before = new PageSlots({ parallelUploads: 8, pages: 9, pageRows: 4 });
    takeAll(before);
    before.lost(1);
    const after = new PageSlots({ parallelUploads: 8, pages: 9, pageRows: 4, state: before.state });
    expect(after.state).toEqual(before.state);
    expect(takeAll(after)).toEqual(takeAll(before));
  });
});

describe('a page whose rows have all begun', () => {
  it.each([
    [Infinity, 64, 'now'],
    [64, 57, 'never'],
    [64, 56, 'now'],
    [15, 8, 'never'],
    [14, 7, 'later'],
    [5, 3, 'never'],
    [5, 2, 'later'],
    [2, 1, 'later'],
    // The page is about to end, and then all slots come back.
    [1, 0, 'never'],
  ])('reports its running uploads again, from %s to %s of 64: %s', (reported, running, expected) => {
    expect(whenToReport(reported, running, 64)).toBe(expected);
  });
});

/** A page in the model: rows to begin, running uploads, and what its root knows of it. */
interface ModelPage {
  waiting: number;
  running: number;
  slots: number;
  reported: number | undefined;
}

/** Runs a whole batch. Rows end, pages are lost and runs continue as new in the order that `choose` gives. */
function runModel(size: number, rows: readonly number[], choose: (count: number) => number): number[] {
  const options = { parallelUploads: size, pages: rows.length, pageRows: Math.max(...rows) };
  let pageSlots = new PageSlots(options);
  const pages = new Map<number, ModelPage>();
  const ends = rows.map(() => 0);
  let deaths = 5;
  const begin = (page: ModelPage): void => {
    const more = Math.min(page.waiting, Math.max(0, page.slots - page.running));
    page.waiting -= more;
    page.running += more;
  };
  for (let turn = 0; turn < 20_000 && !pageSlots.done; turn += 1) {
    for (const step of takeAll(pageSlots)) {
      const known = pages.get(step.page) ?? {
        waiting: rows[step.page] ?? 0,
        running: 0,
        slots: 0,
        reported: undefined,
      };
      known.slots = step.slots;
      pages.set(step.page, known);
      begin(known);
    }
    const running = [...pages.values()].reduce((sum, page) => sum + page.running, 0);
    expect(running).toBeLessThanOrEqual(size);
    expect(pageSlots.free).toBeGreaterThanOrEqual(0);
    if (pageSlots.waiting > 0) expect(pageSlots.free).toBeLessThan(Math.max(1, Math.ceil(size / 8)));
    const numbers = [...pages.keys()];
    const number = numbers[choose(numbers.length)];
    const page = number === undefined ? undefined : pages.get(number);
    if (number === undefined || page === undefined) throw new Error('The batch stalls: no page is open.');
    if (deaths > 0 && choose(10) === 0) {
      deaths -= 1;
      pages.delete(number);
      pageSlots.lost(number);
    } else if (choose(10) === 1) {
      pageSlots = new PageSlots({ ...options, state: pageSlots.state });
    } else {
      page.running -= page.running > 0 ? 1 : 0;
      begin(page);
      if (page.waiting === 0 && page.running === 0) {
        pages.delete(number);
        pageSlots.ended(number);
        ends[number] = (ends[number] ?? 0) + 1;
      } else if (
        page.waiting === 0 &&
        (page.reported === undefined || whenToReport(page.reported, page.running, size) !== 'never')
      ) {
        page.reported = page.running;
        pageSlots.allStarted(number, page.running);
      }
    }
  }
  expect(pageSlots).toMatchObject({ done: true, free: size });
  return ends;
}

describe('in whatever order pages slow down, end and are lost, the number of slots of a batch', () => {
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

  it('leaves less than an eighth free while a page waits, even if files of every open page hang', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 8 }), (size, hanging) => {
        const pageSlots = new PageSlots({ parallelUploads: size, pages: 10_000, pageRows: 12 });
        for (let turn = 0; turn < 500; turn += 1) {
          takeAll(pageSlots);
          for (const { page, allStarted } of pageSlots.state.open) {
            if (!allStarted) pageSlots.allStarted(page, hanging);
          }
        }
        expect(pageSlots.free).toBeLessThan(Math.max(1, Math.ceil(size / 8)));
      }),
      { numRuns: 100 },
    );
  });
});
