import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

/** A proxy on loopback for use in front of a server. */
export async function startTcpProxy(target: {
  readonly host?: string;
  readonly port: number;
  /** The proxy's own port. Default: a free one. */
  readonly at?: number;
}) {
  const open = new Set<Socket>();
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
    client.once('close', () => open.delete(client));
    pipeline(client, upstream, () => undefined);
    pipeline(upstream, client, () => undefined);
  }).listen(target.at ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = (): void => open.forEach((socket) => void socket.resetAndDestroy());
  return {
    /** `127.0.0.1:<port>`. */
    address: `127.0.0.1:${port}`,
    /** Number of connections refused so far. */
    get refused() {
      return refused;
    },
    /** Resets every open connection. */
    cut,
    /** Refuses new connections by resetting them. */
    refuse: () => void (refusing = true),
    async close(): Promise<void> {
      cut();
      await once(server.close(), 'close');
    },
  };
}
