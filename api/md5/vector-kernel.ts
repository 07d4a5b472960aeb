import { BLOCK_BYTES, MD5_STEPS, mixed, quadAt, turned } from './md5-steps';
import type { Quad } from './md5-steps';
import * as wasm from './wasm-bytes';
import type { Bytes, WasmFunction } from './wasm-bytes';

const { get, set, i32, loadVector, storeVector, shuffle } = wasm;

const VECTORS = {
  get,
  and: wasm.VECTOR_AND,
  andNot: wasm.VECTOR_AND_NOT,
  or: wasm.VECTOR_OR,
  xor: wasm.VECTOR_XOR,
  not: wasm.VECTOR_NOT,
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
    ...layout.groups.flatMap((group) => wordsToScratch(layout, group)),
    ...MD5_STEPS.flatMap((_step, step) =>
      layout.groups.flatMap((group) => stepOf(step, turned(layout.stateOf(group), step), group)),
    ),
    ...layout.groups.flatMap((group) => blockEnd(layout, group)),
    ...[...get(blocks), ...i32(1), ...wasm.SUB, ...set(blocks), ...get(blocks)],
  ];
  return {
    name: `vector${4 * count}`,
    parameters: blocks + 1,
    locals: Array.from({ length: 12 + 8 * count }, () => wasm.V128),
    body: [
      ...layout.groups.flatMap((group) => stateIn(layout, group)),
      ...wasm.loop(perBlock),
      ...layout.groups.flatMap((group) => stateOut(layout, group)),
    ],
  };
}

function stateIn({ rows, spare, stateOf, stateAt }: Layout, group: number): Bytes {
  const loads = rows.flatMap((row, lane) => [...get(stateAt(group, lane)), ...loadVector(0), ...set(row)]);
  return [...loads, ...transposed(rows, stateOf(group), spare)];
}

function stateOut({ columns, spare, stateOf, stateAt }: Layout, group: number): Bytes {
  const stores = columns.flatMap((column, lane) => [
    ...get(stateAt(group, lane)),
    ...get(column),
    ...storeVector(0),
  ]);
  return [...transposed(stateOf(group), columns, spare), ...stores];
}

/** Copies a block of each of the four streams to scratch memory, word by word. */
function wordsToScratch(layout: Layout, group: number): Bytes {
  const { rows, columns, spare, stateAt } = layout;
  const four = (quarter: number): Bytes => [
    ...rows.flatMap((row, lane) => [
      ...[...get(stateAt(group, lane) + 1), ...loadVector(16 * quarter), ...set(row)],
    ]),
    ...transposed(rows, columns, spare),
    ...columns.flatMap((column, index) => [
      ...[...i32(0), ...get(column), ...storeVector(scratchOf(group, 4 * quarter + index))],
    ]),
  ];
  const state = layout.stateOf(group);
  const kept = layout.beforeOf(group).flatMap((local, index) => [...get(state[index] ?? 0), ...set(local)]);
  return [...[0, 1, 2, 3].flatMap(four), ...kept];
}

function scratchOf(group: number, word: number): number {
  return GROUP_SCRATCH_BYTES * group + 16 * word;
}

function stepOf(step: number, state: Quad, group: number): Bytes {
  const { round = 0, word = 0, rotation = 0, constant = 0 } = MD5_STEPS[step] ?? {};
  const [a, b] = state;
  return [
    ...[...get(a), ...i32(0), ...loadVector(scratchOf(group, word)), ...i32(constant), ...wasm.SPLAT],
    ...[...wasm.VECTOR_ADD, ...wasm.VECTOR_ADD],
    ...mixed(round, state, VECTORS).flatMap((term) => [...term, ...wasm.VECTOR_ADD]),
    ...set(a),
    ...[...get(b), ...get(a), ...i32(rotation), ...wasm.VECTOR_SHL],
    ...[
      ...get(a),
      ...i32(32 - rotation),
      ...wasm.VECTOR_SHR,
      ...wasm.VECTOR_OR,
      ...wasm.VECTOR_ADD,
      ...set(a),
    ],
  ];
}

function blockEnd({ stateOf, beforeOf, stateAt }: Layout, group: number): Bytes {
  const before = beforeOf(group);
  return [
    ...stateOf(group).flatMap((local, index) => [
      ...[...get(local), ...get(before[index] ?? 0), ...wasm.VECTOR_ADD, ...set(local)],
    ]),
    ...[0, 1, 2, 3].flatMap((lane) => {
      const data = stateAt(group, lane) + 1;
      return [...get(data), ...i32(BLOCK_BYTES), ...wasm.ADD, ...set(data)];
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
    ...[...get(one), ...get(other), ...how, ...set(to)],
  ];
  return [
    ...[
      ...pick(r0, r1, low, s0),
      ...pick(r2, r3, low, s1),
      ...pick(r0, r1, high, s2),
      ...pick(r2, r3, high, s3),
    ],
    ...[...pick(s0, s1, front, t0), ...pick(s0, s1, back, t1), ...pick(s2, s3, front, t2)],
    ...pick(s2, s3, back, t3),
  ];
}
