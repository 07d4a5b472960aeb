import { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/**
 * Returns a connector whose sockets can't end the process. A library that throws in a listener of a socket, for example
 * because of what a server did, would do so outside of every call. Here the socket is closed with that exception, and
 * its request rejects.
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

function guard(socket: Socket): void {
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
