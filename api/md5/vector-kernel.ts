import { BLOCK_BYTES, MD5_STEPS, mixed, quadAt, turned } from './md5-steps';
import type { Quad } from './md5-steps';
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

const VECTORS = {
  get,
  and: VECTOR_AND,
  andNot: VECTOR_AND_NOT,
  or: VECTOR_OR,
  xor: VECTOR_XOR,
  not: VECTOR_NOT,
};
/** For the words of one block of four streams. */
const GROUP_SCRATCH_BYTES = 256;

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
 * Hashes blocks of 4 × `count` streams. Each vector holds the same word of four streams. The parameters are those of
 * `scalarKernel`. Memory from address 0 on is scratch: 256 bytes for each four streams.
 */
export function vectorKernel(count: number): WasmFunction {
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
    MD5_STEPS.map((_step, step) =>
      layout.groups.map((group) => stepOf(step, turned(layout.stateOf(group), step), group)),
    ),
    layout.groups.map((group) => blockEnd(layout, group)),
    [get(blocks), i32(1), SUB, set(blocks), get(blocks)],
  ];
  return {
    name: `vector${4 * count}`,
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
  const { round = 0, word = 0, rotation = 0, constant = 0 } = MD5_STEPS[step] ?? {};
  const [a, b] = state;
  return [
    [get(a), i32(0), loadVector(scratchOf(group, word)), i32(constant), SPLAT],
    [VECTOR_ADD, VECTOR_ADD],
    mixed(round, state, VECTORS).map((term) => [term, VECTOR_ADD]),
    set(a),
    [get(b), get(a), i32(rotation), VECTOR_SHL],
    [get(a), i32(32 - rotation), VECTOR_SHR, VECTOR_OR, VECTOR_ADD, set(a)],
  ];
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
