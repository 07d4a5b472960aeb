import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Keeps two answers that undici would lose:
 * - the one after a `100 Continue` that nobody asked for, which the standard allows;
 * - the one of a server that does not read the whole body. Its connection is reset, and a write may fail before the
 *   answer is read.
 *
 * undici has no option for them. It publishes the socket of each request, right after `onRequestStart`.
 */
export function keepNextAnswer(): void {
  if (!subscribed) subscribe('undici:client:sendHeaders', (message) => keepAnswer(message));
  subscribed = true;
  isNext = true;
}

let subscribed = false;
/** The next published socket is of a request of ours. Other code of the process may use undici, too. */
let isNext = false;
const wrapped = new WeakSet<Socket>();

function keepAnswer(message: unknown): void {
  if (!isNext) return;
  isNext = false;
  const { socket } = message as { readonly socket: Socket };
  skipContinue(socket);
  if (wrapped.has(socket)) return;
  wrapped.add(socket);
  const write = socket._write.bind(socket);
  const writev = socket._writev?.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, afterReading(done));
  if (writev !== undefined) socket._writev = (chunks, done) => writev(chunks, afterReading(done));
}

type Done = (error?: Error | null) => void;

/** An answer that has arrived is read in the next round of the event loop. Then the write may fail. */
function afterReading(done: Done): Done {
  return (error) => {
    if (error instanceof Error) setImmediate(() => setImmediate(() => done(error)));
    else done(error);
  };
}

const BEGIN = 'HTTP/1.1 100';
const END = '\r\n\r\n';
/** Of one `100 Continue`. */
const MAX_BYTES = 16 * 1024;
const TOO_LARGE = 'UND_ERR_HEADERS_OVERFLOW';

/**
 * Removes each `100 Continue` before the answer. From the answer on, the socket is read as ever. One that is too large
 * ends the connection, and with it the request.
 */
function skipContinue(socket: Socket): void {
  if (Object.hasOwn(socket, 'read')) return;
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  let held: Buffer = Buffer.alloc(0);
  socket.read = (size?: number) => {
    for (let chunk = read(size); chunk !== null; chunk = read(size)) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      let from = Math.max(0, held.length - chunk.length - END.length);
      for (let end = 0; isContinue(held); from = 0) {
        end = held.indexOf(END, from);
        if (end < 0) break;
        held = held.subarray(end + END.length);
      }
      if (isContinue(held)) {
        if (held.length <= MAX_BYTES) continue;
        socket.destroy(Object.assign(new Error('a 100 Continue does not end'), { code: TOO_LARGE }));
        return null;
      }
      Reflect.deleteProperty(socket, 'read');
      return held;
    }
    return null;
  };
}

/** Whether it begins as a `100 Continue`, as far as it goes: also if it is empty. */
function isContinue(bytes: Buffer): boolean {
  const begin = bytes.toString('latin1', 0, BEGIN.length).replace('/1.0', '/1.1');
  return BEGIN.startsWith(begin);
}
