import { BLOCK_BYTES, MD5_STEPS, mixed, quadAt, turned } from './md5-steps';
import type { Quad } from './md5-steps';
import { ADD, AND, get, i32, I32, load, loop, OR, ROTL, set, store, SUB, XOR } from './wasm-bytes';
import type { Bytes, WasmFunction } from './wasm-bytes';

const NOT = [i32(-1), XOR];
const NUMBERS = { get, and: AND, andNot: [NOT, AND], or: OR, xor: XOR, not: NOT };

/**
 * Hashes blocks of this many streams with 32-bit numbers. It alternates between the streams at each step, so that the
 * processor works on all of them at once. Parameters: for each stream the address of its state and that of its bytes,
 * then the number of blocks (at least 1).
 */
export function scalarKernel(lanes: number): WasmFunction {
  const all = Array.from({ length: lanes }, (_, lane) => lane);
  const blocks = 2 * lanes;
  const stateOf = (lane: number): Quad => quadAt(blocks + 1 + 4 * lane);
  const perBlock = [
    MD5_STEPS.map((_step, step) =>
      all.map((lane) => stepOf(step, turned(stateOf(lane), step), 2 * lane + 1)),
    ),
    all.map((lane) => added(2 * lane, stateOf(lane))),
    all.map((lane) => [get(2 * lane + 1), i32(BLOCK_BYTES), ADD, set(2 * lane + 1)]),
    [get(blocks), i32(1), SUB, set(blocks), get(blocks)],
  ];
  return {
    name: `scalar${lanes}`,
    parameters: blocks + 1,
    locals: Array.from({ length: 4 * lanes }, () => I32),
    body: [all.map((lane) => loaded(2 * lane, stateOf(lane))), loop(perBlock)],
  };
}

function stepOf(step: number, state: Quad, data: number): Bytes {
  const { round = 0, word = 0, rotation = 0, constant = 0 } = MD5_STEPS[step] ?? {};
  const [a, b] = state;
  return [
    get(b),
    [get(a), get(data), load(4 * word), i32(constant), ADD, ADD],
    mixed(round, state, NUMBERS).map((term) => [term, ADD]),
    [i32(rotation), ROTL, ADD, set(a)],
  ];
}

function loaded(address: number, state: Quad): Bytes {
  return state.map((local, index) => [get(address), load(4 * index), set(local)]);
}

/** Adds the state from before the block, which memory still holds. */
function added(address: number, state: Quad): Bytes {
  return state.map((local, index) => [
    [get(local), get(address), load(4 * index), ADD, set(local)],
    [get(address), get(local), store(4 * index)],
  ]);
}
