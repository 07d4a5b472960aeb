import { once } from 'node:events';
import { type Socket, connect, createServer } from 'node:net';

/** What happens to bytes on the way: `pass`, `black-hole` (accepted and never delivered) or a delay in ms per chunk. */
export type Weather = 'pass' | 'black-hole' | { readonly delayMs: number };

export interface TcpProxy {
  /** `127.0.0.1:<port>`. */
  readonly address: string;
  readonly port: number;
  /** Number of open connections. */
  readonly connections: number;
  /** Number of connections refused so far. */
  readonly refused: number;
  /** Applies to open and future connections. Bytes that a black hole accepted are lost. */
  setWeather(weather: Weather): void;
  /** Resets every open connection. New ones are served. */
  cut(): void;
  /** Refuses new connections by resetting them, until `accept`. */
  refuse(): void;
  accept(): void;
  close(): Promise<void>;
}

/** A proxy on loopback for use in front of a server, with network faults on demand. */
export async function startTcpProxy(target: {
  readonly host?: string;
  readonly port: number;
  /** The proxy's own port. Default: a free one. */
  readonly at?: number;
}): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let weather: Weather = 'pass';
  let refusing = false;
  let refused = 0;

  const server = createServer((client) => {
    if (refusing) {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target.port, target.host ?? '127.0.0.1');
    open.add(client);
    const drop = (): void => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', drop).on('close', drop);
    const getWeather = (): Weather => weather;
    carry(client, upstream, getWeather);
    carry(upstream, client, getWeather);
  }).listen(target.at ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');

  const cut = (): void => open.forEach((socket) => void socket.resetAndDestroy());
  return {
    address: `127.0.0.1:${address.port}`,
    port: address.port,
    get connections() {
      return open.size;
    },
    get refused() {
      return refused;
    },
    setWeather: (next) => void (weather = next),
    cut,
    refuse: () => void (refusing = true),
    accept: () => void (refusing = false),
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Order is kept, since a chunk is passed on only after the one before it. Back pressure reaches the sender. */
function carry(from: Socket, to: Socket, getWeather: () => Weather): void {
  const deliver = (chunk: Buffer): void => {
    if (!to.writable) return;
    if (!to.write(chunk)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
  };
  from.on('data', (chunk: Buffer) => {
    const weather = getWeather();
    if (weather === 'black-hole') return;
    if (weather === 'pass') return deliver(chunk);
    from.pause();
    setTimeout(() => {
      from.resume();
      deliver(chunk);
    }, weather.delayMs).unref();
  });
  from.on('end', () => to.end());
}
