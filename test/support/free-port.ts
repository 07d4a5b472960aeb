import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemCodeOf } from '../../files/system-error';

/**
 * Below the ports that systems give to outgoing connections, which would take a port while its server is away. Above
 * 10,080, which `fetch` and browsers refuse.
 */
const FIRST = 10_081;
const END = 31_000;

/**
 * A free loopback port, for servers that can't choose one themselves. No other test on this machine gets it until this
 * process ends, even while its server is away.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, END);
  return (await isClaimed(port)) && (await isFree(port)) ? port : freePort();
}

/** Claims the number by a UDP socket on it: UDP and TCP have ports of their own, and the system knows who has which. */
async function isClaimed(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  return unlessInUse(once(socket.bind(port, '127.0.0.1'), 'listening'));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  if (!(await unlessInUse(once(server.listen(port, '127.0.0.1'), 'listening')))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

async function unlessInUse(taken: Promise<unknown>): Promise<boolean> {
  try {
    await taken;
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EADDRINUSE') return false;
    throw error;
  }
}
