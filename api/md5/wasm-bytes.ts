/**
 * The few parts of the WebAssembly binary format that the MD5 kernels need. Every function here is pure and returns
 * bytes. See https://webassembly.github.io/spec/core/binary/.
 *
 * Bytes are nested as they were put together, and flattened once at the end: that takes a tenth of the time.
 */
export type Bytes = readonly Code[];
export type Code = number | Bytes;

export function flat(bytes: Bytes, to: number[] = []): number[] {
  for (const one of bytes) {
    if (typeof one === 'number') to.push(one);
    else flat(one, to);
  }
  return to;
}

const I32 = 0x7f;
export const V128 = 0x7b;

/** Unsigned LEB128. */
function unsigned(value: number): Bytes {
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
function signed(value: number): Bytes {
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
function vector(items: readonly Bytes[]): Bytes {
  return [unsigned(items.length), items];
}

/** Bytes after their number. */
function sized(content: Bytes): Bytes {
  const bytes = flat(content);
  return [unsigned(bytes.length), bytes];
}

function name(text: string): Bytes {
  return sized([...Buffer.from(text)]);
}

function section(id: number, content: Bytes): Bytes {
  return [id, sized(content)];
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
    vector(Array.from({ length: parameters }, () => [I32])),
    vector([]),
  ]);
  const memory = [name('env'), name('memory'), 0x02, 0x00, unsigned(1)];
  const exported = functions.map((one, index) => [name(one.name), 0x00, unsigned(index)]);
  const codes = functions.map(({ locals, body }) =>
    sized([vector(locals.map((type) => [unsigned(1), type])), body, 0x0b]),
  );
  return new Uint8Array(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
      section(1, vector(types)),
      section(2, vector([memory])),
      section(3, vector(functions.map((_one, index) => unsigned(index)))),
      section(7, vector(exported)),
      section(10, vector(codes)),
    ]),
  );
}

/** Most instructions occur many times. Making each once takes half the memory and time. */
function once(make: (value: number) => Bytes): (value: number) => Bytes {
  const made = new Map<number, Bytes>();
  return (value) => {
    const bytes = made.get(value) ?? flat(make(value));
    made.set(value, bytes);
    return bytes;
  };
}

export const get = once((local) => [0x20, unsigned(local)]);
export const set = once((local) => [0x21, unsigned(local)]);
export const i32 = once((value) => [0x41, signed(value)]);
export const ADD = 0x6a;
export const SUB = 0x6b;

const simd = (opcode: number, ...rest: Bytes): Bytes => [0xfd, unsigned(opcode), rest];
/** Loads and stores take the address from the stack; `offset` is added to it. */
export const loadVector = once((offset) => simd(0x00, 4, unsigned(offset)));
export const storeVector = once((offset) => simd(0x0b, 4, unsigned(offset)));
/** Selects the bytes in `lanes`: 0 to 15 of the first vector, 16 to 31 of the second. */
export const shuffle = (lanes: Bytes): Bytes => simd(0x0d, lanes);
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
export const loop = (body: Bytes): Bytes => [0x03, 0x40, body, 0x0d, 0x00, 0x0b];
