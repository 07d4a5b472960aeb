import {
  ADD,
  get,
  i32,
  loadVector,
  loop,
  set,
  shuffle,
  SPLAT,
  storeVector,
  SUB,
  V128,
  VECTOR_ADD,
  VECTOR_AND,
  VECTOR_AND_NOT,
  VECTOR_NOT,
  VECTOR_OR,
  VECTOR_SHL,
  VECTOR_SHR,
  VECTOR_XOR,
} from './wasm-bytes';
import type { Bytes, WasmFunction } from './wasm-bytes';

export const BLOCK_BYTES = 64;
/** For the words of one block of four streams. */
const GROUP_SCRATCH_BYTES = 256;

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
const STEPS = Array.from({ length: 64 }, (_, step) => step);

/** The WebAssembly locals of four words. */
type Quad = readonly [a: number, b: number, c: number, d: number];

function quadAt(first: number): Quad {
  return [first, first + 1, first + 2, first + 3];
}

/** Where the locals of a kernel are. */
interface Layout {
  readonly groups: readonly number[];
  readonly stateOf: (group: number) => Quad;
  readonly beforeOf: (group: number) => Quad;
  readonly rows: Quad;
  readonly columns: Quad;
  readonly spare: Quad;
  /**
   * Parameter with the address of a stream's state; `lane` is 0 to 3 in a group. The next parameter is the address of
   * its bytes.
   */
  readonly stateAt: (group: number, lane: number) => number;
}

/**
 * Hashes blocks of 4 × `count` streams. Each vector holds the same word of four streams. Parameters: for each stream the
 * address of its state and that of its bytes, then the number of blocks (at least 1). Memory from address 0 on is
 * scratch: 256 bytes for each four streams.
 */
export function md5Kernel(count: number): WasmFunction {
  const blocks = 8 * count;
  const first = blocks + 1;
  const layout: Layout = {
    groups: Array.from({ length: count }, (_, group) => group),
    stateOf: (group) => quadAt(first + 12 + 8 * group),
    beforeOf: (group) => quadAt(first + 16 + 8 * group),
    rows: quadAt(first),
    columns: quadAt(first + 4),
    spare: quadAt(first + 8),
    stateAt: (group, lane) => 8 * group + 2 * lane,
  };
  const perBlock = [
    layout.groups.map((group) => wordsToScratch(layout, group)),
    STEPS.map((step) =>
      layout.groups.map((group) => stepOf(step, turned(layout.stateOf(group), step), group)),
    ),
    layout.groups.map((group) => blockEnd(layout, group)),
    [get(blocks), i32(1), SUB, set(blocks), get(blocks)],
  ];
  return {
    name: `md5of${4 * count}`,
    parameters: blocks + 1,
    locals: Array.from({ length: 12 + 8 * count }, () => V128),
    body: [
      layout.groups.map((group) => stateIn(layout, group)),
      loop(perBlock),
      layout.groups.map((group) => stateOut(layout, group)),
    ],
  };
}

function stateIn({ rows, spare, stateOf, stateAt }: Layout, group: number): Bytes {
  const loads = rows.map((row, lane) => [get(stateAt(group, lane)), loadVector(0), set(row)]);
  return [loads, transposed(rows, stateOf(group), spare)];
}

function stateOut({ columns, spare, stateOf, stateAt }: Layout, group: number): Bytes {
  const stores = columns.map((column, lane) => [get(stateAt(group, lane)), get(column), storeVector(0)]);
  return [transposed(stateOf(group), columns, spare), stores];
}

/** Copies a block of each of the four streams to scratch memory, word by word. */
function wordsToScratch(layout: Layout, group: number): Bytes {
  const { rows, columns, spare, stateAt } = layout;
  const four = (quarter: number): Bytes => [
    rows.map((row, lane) => [[get(stateAt(group, lane) + 1), loadVector(16 * quarter), set(row)]]),
    transposed(rows, columns, spare),
    columns.map((column, index) => [
      [i32(0), get(column), storeVector(scratchOf(group, 4 * quarter + index))],
    ]),
  ];
  const state = layout.stateOf(group);
  const kept = layout.beforeOf(group).map((local, index) => [get(state[index] ?? 0), set(local)]);
  return [[0, 1, 2, 3].map(four), kept];
}

function scratchOf(group: number, word: number): number {
  return GROUP_SCRATCH_BYTES * group + 16 * word;
}

function stepOf(step: number, state: Quad, group: number): Bytes {
  const round = step >> 4;
  const word = (WORDS[round]?.(step) ?? 0) % 16;
  const rotation = ROTATIONS[round]?.[step % 4] ?? 0;
  const constant = Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32) | 0;
  const [a, b] = state;
  return [
    [get(a), i32(0), loadVector(scratchOf(group, word)), i32(constant), SPLAT],
    [VECTOR_ADD, VECTOR_ADD],
    mixed(round, state).map((term) => [term, VECTOR_ADD]),
    set(a),
    [get(b), get(a), i32(rotation), VECTOR_SHL],
    [get(a), i32(32 - rotation), VECTOR_SHR, VECTOR_OR, VECTOR_ADD, set(a)],
  ];
}

/** After each step, the four words swap their roles. */
function turned(state: Quad, step: number): Quad {
  const at = (role: number): number => state[(role - step + 64) % 4] ?? 0;
  return [at(0), at(1), at(2), at(3)];
}

/**
 * RFC 1321, 3.4: F, G, H and I of b, c and d as terms of a sum. b is the result of the step before, so the terms that
 * need it come last. The two halves of G have no bit in common. So their sum is their disjunction, and only one of them
 * waits for b.
 */
function mixed(round: number, [, b, c, d]: Quad): Bytes[] {
  switch (round) {
    case 0:
      return [[get(c), get(d), VECTOR_XOR, get(b), VECTOR_AND, get(d), VECTOR_XOR]];
    case 1:
      return [
        [get(c), get(d), VECTOR_AND_NOT],
        [get(b), get(d), VECTOR_AND],
      ];
    case 2:
      return [[get(c), get(d), VECTOR_XOR, get(b), VECTOR_XOR]];
    default:
      return [[get(d), VECTOR_NOT, get(b), VECTOR_OR, get(c), VECTOR_XOR]];
  }
}

function blockEnd({ stateOf, beforeOf, stateAt }: Layout, group: number): Bytes {
  const before = beforeOf(group);
  return [
    stateOf(group).map((local, index) => [[get(local), get(before[index] ?? 0), VECTOR_ADD, set(local)]]),
    [0, 1, 2, 3].map((lane) => {
      const data = stateAt(group, lane) + 1;
      return [get(data), i32(BLOCK_BYTES), ADD, set(data)];
    }),
  ];
}

/** Selects words of two vectors: 0 to 3 of the first, 4 to 7 of the second. */
function words(...from: readonly number[]): Bytes {
  return shuffle(from.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte)));
}

/** Writes the columns of the rows `from` to the locals `to`. */
function transposed([r0, r1, r2, r3]: Quad, [t0, t1, t2, t3]: Quad, [s0, s1, s2, s3]: Quad): Bytes {
  const [low, high] = [words(0, 4, 1, 5), words(2, 6, 3, 7)];
  const [front, back] = [words(0, 1, 4, 5), words(2, 3, 6, 7)];
  const pick = (one: number, other: number, how: Bytes, to: number): Bytes => [
    [get(one), get(other), how, set(to)],
  ];
  return [
    [pick(r0, r1, low, s0), pick(r2, r3, low, s1), pick(r0, r1, high, s2), pick(r2, r3, high, s3)],
    [pick(s0, s1, front, t0), pick(s0, s1, back, t1), pick(s2, s3, front, t2)],
    pick(s2, s3, back, t3),
  ];
}
