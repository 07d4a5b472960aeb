import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Returns a connector whose sockets can't end the process. A library that throws in a listener of a socket, for example
 * because of what a server did, would do so outside of every call. Here the socket is closed with that exception, and
 * its request rejects.
 *
 * They also leave out `100 Continue`, which some servers and gateways send unasked. undici would close the connection.
 */
export function guardedConnect(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...result) => {
      // undici leaves the socket out if it reports an error, whatever its types say.
      if (result[1] instanceof Socket) guard(result[1]);
      callback(...result);
    });
  };
}

const MAX_CONTINUE_BYTES = 1024;
const CONTINUE = /^(?:HTTP\/1\.[01] 100[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)+/;

function guard(socket: Socket): void {
  leaveOutContinue(socket);
  // The type has an overload for each event.
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...values: unknown[]) => boolean;
  socket.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    try {
      return emit(event, ...values);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error('a listener of the socket failed'));
      return true;
    }
  };
}

/** It may only come between a request and the head of its answer, so what is read later stays as it is. */
function leaveOutContinue(socket: Socket): void {
  let awaitsHead = false;
  const write = socket.write.bind(socket) as (...chunk: unknown[]) => boolean;
  socket.write = (...chunk: unknown[]): boolean => {
    awaitsHead = true;
    return write(...chunk);
  };
  const read = socket.read.bind(socket) as (bytes?: number) => unknown;
  socket.read = (bytes?: number): unknown => {
    const chunk = read(bytes);
    if (!awaitsHead || !Buffer.isBuffer(chunk)) return chunk;
    const text = chunk.toString('latin1', 0, MAX_CONTINUE_BYTES);
    const length = CONTINUE.exec(text)?.[0].length ?? 0;
    awaitsHead = length === chunk.byteLength;
    return awaitsHead ? socket.read(bytes) : chunk.subarray(length);
  };
}
