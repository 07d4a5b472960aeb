import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer, type TlsOptions } from 'node:tls';
import { afterTest } from './after-test';
import { listen, type Listening } from './listen';

/** Speaks TLS in front of a server on loopback. */
export function openTlsFront(options: TlsOptions, behind: number | string): Promise<Listening> {
  return listen(
    createServer(options, (client) => {
      const server = connect(Number(behind), '127.0.0.1');
      pipeline(client, server, () => undefined);
      pipeline(server, client, () => undefined);
    }),
  );
}

/** The same until the test ends. Returns its own port. */
export async function startTlsFront(options: TlsOptions, behind: number | string): Promise<number> {
  const { port, close } = await openTlsFront(options, behind);
  afterTest(close);
  return port;
}
