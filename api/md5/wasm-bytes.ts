/**
 * The few parts of the WebAssembly binary format that the MD5 kernels need. Every function here is pure and returns
 * bytes. See https://webassembly.github.io/spec/core/binary/.
 */
export type Bytes = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;

/** Unsigned LEB128. */
export function unsigned(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

/** Signed LEB128 of a 32-bit number. */
export function signed(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

/** A vector: its length, then its items. */
export function vector(items: readonly Bytes[]): Bytes {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): Bytes {
  const bytes = [...Buffer.from(text)];
  return [...unsigned(bytes.length), ...bytes];
}

function section(id: number, content: Bytes): Bytes {
  return [id, ...unsigned(content.length), ...content];
}

/** One exported function that takes `parameters` numbers and returns nothing. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  /** Types of the locals that follow the parameters. */
  readonly locals: readonly number[];
  /** Without the final `end`. */
  readonly body: Bytes;
}

/** A module that imports its memory as `env.memory` and exports `functions`. */
export function wasmModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...vector(Array.from({ length: parameters }, () => [I32])),
    ...vector([]),
  ]);
  const memory = [...name('env'), ...name('memory'), 0x02, 0x00, ...unsigned(1)];
  const exported = functions.map((one, index) => [...name(one.name), 0x00, ...unsigned(index)]);
  const codes = functions.map(({ locals, body }) => {
    const code = [...vector(locals.map((type) => [...unsigned(1), type])), ...body, 0x0b];
    return [...unsigned(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, vector(types)),
    ...section(2, vector([memory])),
    ...section(3, vector(functions.map((_one, index) => unsigned(index)))),
    ...section(7, vector(exported)),
    ...section(10, vector(codes)),
  ]);
}

export const get = (local: number): Bytes => [0x20, ...unsigned(local)];
export const set = (local: number): Bytes => [0x21, ...unsigned(local)];
export const i32 = (value: number): Bytes => [0x41, ...signed(value)];
/** Loads and stores take the address from the stack; `offset` is added to it. */
export const load = (offset: number): Bytes => [0x28, 2, ...unsigned(offset)];
export const store = (offset: number): Bytes => [0x36, 2, ...unsigned(offset)];
export const ADD: Bytes = [0x6a];
export const SUB: Bytes = [0x6b];
export const AND: Bytes = [0x71];
export const OR: Bytes = [0x72];
export const XOR: Bytes = [0x73];
export const ROTL: Bytes = [0x77];

const simd = (opcode: number, ...rest: number[]): Bytes => [0xfd, ...unsigned(opcode), ...rest];
export const loadVector = (offset: number): Bytes => simd(0x00, 4, ...unsigned(offset));
export const storeVector = (offset: number): Bytes => simd(0x0b, 4, ...unsigned(offset));
/** Selects the bytes in `lanes`: 0 to 15 of the first vector, 16 to 31 of the second. */
export const shuffle = (lanes: Bytes): Bytes => simd(0x0d, ...lanes);
export const SPLAT: Bytes = simd(0x11);
export const VECTOR_NOT: Bytes = simd(0x4d);
export const VECTOR_AND: Bytes = simd(0x4e);
export const VECTOR_AND_NOT: Bytes = simd(0x4f);
export const VECTOR_OR: Bytes = simd(0x50);
export const VECTOR_XOR: Bytes = simd(0x51);
export const VECTOR_SHL: Bytes = simd(0xab);
export const VECTOR_SHR: Bytes = simd(0xad);
export const VECTOR_ADD: Bytes = simd(0xae);

/** Repeats `body` until it leaves 0 on the stack. */
export const loop = (body: Bytes): Bytes => [0x03, 0x40, ...body, 0x0d, 0x00, 0x0b];
