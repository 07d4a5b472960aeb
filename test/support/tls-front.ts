import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer, type TlsOptions } from 'node:tls';
import { afterTest } from './after-test';

/** Speaks TLS in front of a server on loopback until the test ends. Returns its own port. */
export async function startTlsFront(options: TlsOptions, behind: number | string): Promise<number> {
  const front = createServer(options, (client) => {
    const server = connect(Number(behind), '127.0.0.1');
    pipeline(client, server, () => undefined);
    pipeline(server, client, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  afterTest(() => void front.close());
  return (front.address() as AddressInfo).port;
}
