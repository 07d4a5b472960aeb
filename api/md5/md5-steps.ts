import type { Bytes, Code } from './wasm-bytes';

/** RFC 1321, 3.4: how far each step rotates, by round and by step number modulo 4. */
const ROTATIONS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;
/** Which of a block's 16 words each step uses, by round. */
const WORDS = [
  (step: number) => step,
  (step: number) => 5 * step + 1,
  (step: number) => 3 * step + 5,
  (step: number) => 7 * step,
] as const;

export const BLOCK_BYTES = 64;

/** One of the 64 steps for each block. */
interface Md5Step {
  /** 0 to 3: selects the mixing function. */
  readonly round: number;
  readonly word: number;
  readonly rotation: number;
  readonly constant: number;
}

export const MD5_STEPS: readonly Md5Step[] = Array.from({ length: 64 }, (_, step) => {
  const round = step >> 4;
  return {
    round,
    word: (WORDS[round]?.(step) ?? 0) % 16,
    rotation: ROTATIONS[round]?.[step % 4] ?? 0,
    constant: Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32) | 0,
  };
});

/** The WebAssembly locals of the state's four words. */
export type Quad = readonly [a: number, b: number, c: number, d: number];

export function quadAt(first: number): Quad {
  return [first, first + 1, first + 2, first + 3];
}

/** After each step, the four words swap their roles. */
export function turned([a, b, c, d]: Quad, step: number): Quad {
  switch (step % 4) {
    case 0:
      return [a, b, c, d];
    case 1:
      return [d, a, b, c];
    case 2:
      return [c, d, a, b];
    default:
      return [b, c, d, a];
  }
}

/**
 * RFC 1321, 3.4: F, G, H and I of b, c and d as terms of a sum, with the operations of numbers or of vectors. b is the
 * result of the step before, so the terms that need it come last. The two halves of G have no bit in common. So their
 * sum is their disjunction, and only one of them waits for b.
 */
export function mixed(
  round: number,
  [, b, c, d]: Quad,
  { get, and, andNot, or, xor, not }: MixOperations,
): Bytes[] {
  switch (round) {
    case 0:
      return [[get(c), get(d), xor, get(b), and, get(d), xor]];
    case 1:
      return [
        [get(c), get(d), andNot],
        [get(b), get(d), and],
      ];
    case 2:
      return [[get(c), get(d), xor, get(b), xor]];
    default:
      return [[get(d), not, get(b), or, get(c), xor]];
  }
}

interface MixOperations {
  readonly get: (local: number) => Code;
  readonly and: Code;
  /** The first operand, without the bits of the second. */
  readonly andNot: Code;
  readonly or: Code;
  readonly xor: Code;
  readonly not: Code;
}
