import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setInterval as every } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openTunnel } from '../../../../api/transport/tunnel';
import { afterTest } from '../../../support/after-test';
import { listen } from '../../../support/listen';

/** A proxy that sends one byte after the other, and never the end of its answer. */
async function endless(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\nx-more: ');
    void drip(socket);
  });
  const { port, close } = await listen(server);
  afterTest(close);
  return port;
}

async function drip(socket: Socket): Promise<void> {
  for await (const byte of every(20, 'x')) {
    if (socket.destroyed) return;
    socket.write(byte);
  }
}

const BLOCKED = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** A proxy whose queue of connections is full: no further one comes about. */
async function unconnectable(): Promise<number> {
  const worker = new Worker(BLOCKED, { eval: true });
  afterTest(() => void worker.terminate());
  const [port] = (await once(worker, 'message')) as [number];
  const queued = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  afterTest(() => queued.forEach((socket) => void socket.destroy()));
  await once(queued[0] as Socket, 'connect');
  return port;
}

test.each([
  ['does not end its answer', endless],
  ['can not be connected', unconnectable],
])('gives up a proxy that %s', async (_what, start) => {
  const origin = `http://127.0.0.1:${await start()}`;
  await expect(openTunnel('media.example:443', { proxy: { origin }, timeoutMs: 300 })).rejects.toMatchObject({
    outcome: 'unsent',
    message: `the proxy ${origin}: no connection in time (UND_ERR_CONNECT_TIMEOUT)`,
  });
});
