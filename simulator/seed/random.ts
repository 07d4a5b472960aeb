export type Random = ReturnType<typeof createRandom>;

/** Repeatable random values: the same seed makes the same data in every run. */
export function createRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const roll = (sides: number): number => next() % sides;
  const hex = (): string => next().toString(16).padStart(8, '0');
  return {
    /** 0 to below `sides`. */
    roll,
    pick<T>(choices: readonly T[]): T {
      const at = roll(choices.length);
      for (const choice of choices.slice(at, at + 1)) return choice;
      throw new RangeError('There is nothing to choose from.');
    },
    /** A text in the form of a UUID. */
    id(): string {
      const text = hex() + hex() + hex() + hex();
      return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20)}`;
    },
  };
}
