import { BlockList, isIP, Socket } from 'node:net';
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

/**
 * Sorts addresses for trying them one by one: IPv4 first. Without IPv4 a try fails at once, but a try over IPv6 may
 * hang, and one-by-one tries can't race.
 */
export function oneByOne(addresses: readonly string[]): readonly string[] {
  const isFirst = (address: string): boolean => isIP(address) === 4;
  return [...addresses.filter(isFirst), ...addresses.filter((address) => !isFirst(address))];
}

/** Returns whether an answer's body shows a connection to an address other than these. */
export function isFromElsewhere(body: object, addresses: readonly string[]): boolean {
  const socket: unknown = Reflect.get(body, 'socket');
  const remote: unknown =
    typeof socket === 'object' && socket !== null ? Reflect.get(socket, 'remoteAddress') : undefined;
  if (typeof remote !== 'string' || isIP(remote) === 0) return false;
  const allowed = new BlockList();
  for (const address of addresses) allowed.addAddress(withoutZone(address), familyOf(address));
  return !allowed.check(withoutZone(remote), familyOf(remote));
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
