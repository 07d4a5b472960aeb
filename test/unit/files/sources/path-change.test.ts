import fc from 'fast-check';
import { sameTime } from '../../../../api/upload/sources/source-rules';

const SECOND = 1_000_000_000n;
/** Precisions of file systems and their shares, ns. */
const GRANULARITIES = [1n, 100n, 1_000n, 1_000_000n, SECOND] as const;
const TIME = fc.bigInt({ min: -10n * SECOND, max: 4_000_000_000n * SECOND });
const GRANULARITY = fc.constantFrom(...GRANULARITIES);

/** The time that a machine with this precision reports. */
const kept = (time: bigint, granularity: bigint): bigint => {
  const rest = ((time % granularity) + granularity) % granularity;
  return time - rest;
};

const looksCoarser = (time: bigint, than: bigint): boolean =>
  GRANULARITIES.some((step) => step > than && time % step === 0n);

describe('two times of one file, each as precise as its machine stores it,', () => {
  it('are the same however each machine rounds down, in either order', () => {
    fc.assert(
      fc.property(TIME, GRANULARITY, GRANULARITY, (time, one, other) => {
        expect(sameTime(kept(time, one), kept(time, other))).toBe(true);
        expect(sameTime(kept(time, other), kept(time, one))).toBe(true);
      }),
    );
  });

  it('differ if the file was written again one step of the less precise machine later', () => {
    fc.assert(
      fc.property(TIME, GRANULARITY, GRANULARITY, fc.bigInt(1n, 1_000n), (time, one, other, steps) => {
        const coarser = one > other ? one : other;
        const [first, second] = [kept(time, one), kept(time + steps * coarser, other)];
        // A time that ends in zeros by chance looks less precise.
        fc.pre(!looksCoarser(first, coarser) && !looksCoarser(second, coarser));
        expect(sameTime(first, second)).toBe(false);
      }),
    );
  });
});
