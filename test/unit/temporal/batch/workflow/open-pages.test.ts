import fc from 'fast-check';
import { OpenPages } from '../../../../../temporal/batch/workflow/page-workflows';

function slotsOf(options: { pages: number; parallelUploads?: number }): number[] {
  const open = new OpenPages(options);
  const slots = [];
  for (let next = open.take(); next !== undefined; next = open.take()) slots.push(next.slots);
  return slots;
}

describe('the pages that run at once', () => {
  it.each([
    ['few pages', { pages: 3, parallelUploads: 8 }, [3, 3, 2]],
    ['fewer slots than pages', { pages: 5, parallelUploads: 2 }, [1, 1]],
    ['many pages', { pages: 100, parallelUploads: 256 }, Array.from({ length: 16 }, () => 16)],
    ['the default', { pages: 1 }, [256]],
  ])('share all slots: %s', (_which, options, expected) => {
    expect(slotsOf(options)).toEqual(expected);
  });

  it('never have more slots than the batch, each has at least one, and each page runs once', () => {
    const options = fc.record({
      pages: fc.integer({ min: 1, max: 60 }),
      parallelUploads: fc.integer({ min: 1, max: 90 }),
    });
    fc.assert(
      fc.property(options, fc.infiniteStream(fc.nat()), (given, random) => {
        const open = new OpenPages(given);
        const slots = new Map<number, number>();
        const begun: number[] = [];
        while (!open.done) {
          for (let next = open.take(); next !== undefined; next = open.take()) {
            expect(next.slots).toBeGreaterThan(0);
            slots.set(next.page, next.slots);
            begun.push(next.page);
          }
          expect([...slots.values()].reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(
            given.parallelUploads,
          );
          const page = open.open[(random.next().value as number) % open.open.length] ?? 0;
          slots.delete(page);
          open.ended(page);
        }
        expect(begun).toEqual(Array.from({ length: given.pages }, (_, page) => page));
      }),
    );
  });
});
