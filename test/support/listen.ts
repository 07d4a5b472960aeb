import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';

export type Listening = Awaited<ReturnType<typeof listen>>;

/** Lets a server of node:http, node:https, node:net or node:tls listen on a free port of loopback. */
export async function listen(server: Server, host = '127.0.0.1') {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** `http://127.0.0.1:<port>`. */
    url: `http://${host}:${port}`,
    /** Ends open connections, too. */
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
