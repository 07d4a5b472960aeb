import fc from 'fast-check';
import { MAX_PART_BYTES, MIN_PART_BYTES, planParts, partRuns } from '../../../../api/upload/plan-parts';
import { thrownBy } from './failure-of';

const MIB = 1024 * 1024;
const MAX_PARTS = 120;
const LARGEST = 72_000_000_000;
const sizes = fc.oneof(
  fc.integer({ min: 1, max: LARGEST }),
  fc.integer({ min: 1, max: 200_000_000 }),
  fc.constantFrom(1, MIN_PART_BYTES, MIN_PART_BYTES + 1, MAX_PART_BYTES, LARGEST - 1, LARGEST),
);
const preferences = fc.option(fc.integer({ min: 1, max: 2_000_000_000 }), { nil: undefined });

describe('the part plan', () => {
  it('covers the file exactly, in order, within every limit of the interface and of storage', () => {
    fc.assert(
      fc.property(
        sizes,
        preferences,
        fc.integer({ min: 1, max: MAX_PARTS }),
        (bytes, partBytes, maxParts) => {
          fc.pre(bytes <= maxParts * MAX_PART_BYTES);
          const parts = planParts({ bytes, partBytes, maxParts });
          expect(parts.length).toBeGreaterThanOrEqual(1);
          expect(parts.length).toBeLessThanOrEqual(maxParts);
          let offset = 0;
          parts.forEach((part, index) => {
            expect(part).toMatchObject({ partNumber: index + 1, offset });
            expect(part.bytes).toBeGreaterThanOrEqual(index < parts.length - 1 ? MIN_PART_BYTES : 1);
            expect(part.bytes).toBeLessThanOrEqual(MAX_PART_BYTES);
            offset += part.bytes;
          });
          expect(offset).toBe(bytes);
        },
      ),
    );
  });

  it.each([
    ['below 100 MB: 10 to 20 MB', 99_999_999, 10_000_000, 20_000_000],
    ['100 MB: 20 to 50 MB', 100_000_000, 20_000_000, 50_000_000],
    ['1 GB: 20 to 50 MB', 1_000_000_000, 20_000_000, 50_000_000],
    ['above 1 GB: 50 to 600 MB', 1_000_000_001, 50_000_000, MAX_PART_BYTES],
    ['50 GB: 50 to 600 MB', 50_000_000_000, 50_000_000, MAX_PART_BYTES],
  ])('follows the recommendation: %s', (_range, bytes, min, max) => {
    const size = planParts({ bytes })[0]?.bytes;
    expect(size).toBeGreaterThanOrEqual(min);
    expect(size).toBeLessThanOrEqual(max);
  });

  it.each([
    ['as preferred', { bytes: 620_000_000, partBytes: 30_000_000 }, 30_000_000],
    ['as large as the interface takes', { bytes: 620_000_000, partBytes: 900_000_000 }, 600_000_000],
    ['larger than preferred if the file would need too many', { partBytes: 1, maxParts: 100 }, 20 * MIB],
    ['as preferred if the file just fits', { partBytes: 25_000_000, maxParts: 80 }, 25_000_000],
    ['as large as the minimum of storage', { bytes: 90_000_000, partBytes: 1 }, 5_242_880],
    ['as small as the memory', { partBytes: 50_000_000, partMemoryBytes: 20_000_000 }, 20_000_000],
  ])('makes parts %s', (_how, input, expected) => {
    expect(planParts({ bytes: 2_000_000_000, ...input })[0]?.bytes).toBe(expected);
  });

  it.each([
    ['an empty file', { bytes: 0 }],
    ['a file above 72 GB', { bytes: LARGEST + 1 }],
    ['a file that needs more parts than allowed', { bytes: 2 * MAX_PART_BYTES + 1, maxParts: 2 }],
    ['a size that is not a whole number', { bytes: 1.5 }],
    ['a negative size', { bytes: -1 }],
  ])('refuses %s', (_what, input) => {
    const field = 'source';
    expect(thrownBy(() => planParts(input))).toMatchObject({ code: 'Validation', facts: { field } });
  });
});

it.each([
  ['one part', [5], [[5]]],
  [
    'small parts, of which 12 fit',
    Array<number>(30).fill(5 * MIB),
    [12, 12, 6].map((parts) => Array<number>(parts).fill(5 * MIB)),
  ],
  ['parts of exactly 64 MiB', [64 * MIB, 64 * MIB, 1], [[64 * MIB], [64 * MIB], [1]]],
  ['parts above 64 MiB', [100 * MIB, 100 * MIB, 7, 8], [[100 * MIB], [100 * MIB], [7, 8]]],
])('partRuns of %s', (_what, sizes, runs) => {
  const parts = sizes.map((bytes) => ({ bytes }));
  expect(partRuns(parts).map((run) => run.map(({ bytes }) => bytes))).toEqual(runs);
});
